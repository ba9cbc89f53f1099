/// The arguments of one command.
package struct Arguments: Sendable {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    /// The arguments without `--`, in order.
    package private(set) var names: [String] = []

    /// What a command accepts.
    package struct Form: Sendable {
        /// Such as `new-feature`.
        let command: String
        /// Names of the arguments without `--`; one in brackets may be left out.
        let names: [String]
        /// Options with a value: `fields` for `--fields TEXT`.
        let options: [String]
        let flags: [String]

        package init(_ command: String, names: [String] = [], options: [String] = [], flags: [String] = []) {
            (self.command, self.names, self.options, self.flags) = (command, names, options, flags)
        }
    }

    /// - Throws: A refusal for an unknown or repeated option, one without its value, and a missing or additional argument.
    package init(_ words: some Sequence<String>, _ form: Form) throws(ScaffoldRefusal) {
        func refusal(_ reason: String) -> ScaffoldRefusal {
            ScaffoldRefusal("\(reason) 'Scripts/\(form.command) --help' shows what there is.", .usage)
        }
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                names.append(word)
                continue
            }
            let halves = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(halves[0])
            guard values[name] == nil, !flags.contains(name) else { throw refusal("'--\(name)' is there twice.") }
            if form.flags.contains(name), halves.count == 1 {
                flags.insert(name)
            } else if form.options.contains(name) {
                guard let value = halves.count == 2 ? String(halves[1]) : rest.popFirst(),
                    halves.count == 2 || !value.hasPrefix("--")
                else { throw refusal("'--\(name)' has no value.") }
                values[name] = value
            } else {
                throw refusal("'\(word.printable)' is no option of '\(form.command)'.")
            }
        }
        let required = form.names.filter { !$0.hasPrefix("[") }
        if names.count < required.count { throw refusal("'\(form.command)' needs \(required[names.count]).") }
        if names.count > form.names.count {
            throw refusal("'\(names[form.names.count].printable)' is one argument too many.")
        }
    }

    package subscript(option: String) -> String? { values[option] }
    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option with a few allowed ones.
    ///
    /// - Throws: A refusal that lists them.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, or other: Choice
    ) throws(ScaffoldRefusal) -> Choice where Choice.RawValue == String {
        guard let text = self[option] else { return other }
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ScaffoldRefusal("'--\(option) \(text.printable)' is not known; use one of: \(all).", .usage)
        }
        return choice
    }
}
