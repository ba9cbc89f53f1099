/// Reads the imports of a Swift file, including those in inactive `#if` branches.
enum ImportScanner {
    private static let accessLevels: Set = ["public", "package", "internal", "fileprivate", "private", "open"]
    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
    private static let conditionals: Set = ["if", "elseif", "else", "endif"]

    /// - Parameter tokens: The tokens of the whole file.
    static func imports(in tokens: [Token]) -> [Import] {
        var imports: [Import] = []
        var conditions: [String] = []
        var index = 0
        while index < tokens.count {
            if let directive = directive(at: index, in: tokens) {
                apply(directive.keyword, directive.condition, to: &conditions)
                index = directive.end
            } else if let found = importDeclaration(at: index, in: tokens, under: conditions) {
                imports.append(found)
                index += 1
            } else {
                index += 1
            }
        }
        return imports
    }

    // MARK: - Conditions

    private static func directive(
        at index: Int, in tokens: [Token]
    ) -> (keyword: String, condition: String, end: Int)? {
        guard tokens[index].text == "#", index + 1 < tokens.count, tokens[index + 1].start == tokens[index].end,
            conditionals.contains(tokens[index + 1].text)
        else { return nil }
        let line = tokens[index].line
        var end = index + 2
        while end < tokens.count, tokens[end].line == line { end += 1 }
        let condition = tokens[(index + 2)..<end].map(\.text).joined()
        return (tokens[index + 1].text, condition, end)
    }

    private static func apply(_ keyword: String, _ condition: String, to conditions: inout [String]) {
        if keyword != "if", !conditions.isEmpty { conditions.removeLast() }
        switch keyword {
        case "else": conditions.append("else")
        case "endif": break
        default: conditions.append(condition)
        }
    }

    // MARK: - Declarations

    private static func importDeclaration(
        at index: Int, in tokens: [Token], under conditions: [String]
    ) -> Import? {
        guard tokens[index].text == "import", let path = path(after: index, in: tokens) else { return nil }
        var access: String?
        var attributes: [String] = []
        var before = index - 1
        while before >= 0 {
            let token = tokens[before]
            if accessLevels.contains(token.text) {
                access = token.text
                before -= 1
            } else if let attribute = attribute(endingAt: before, in: tokens) {
                attributes.insert(attribute.name, at: 0)
                before = attribute.start - 1
            } else if token.line == tokens[before + 1].line, ![";", "{", "}"].contains(token.text) {
                return nil  // `import` as a label or a member
            } else {
                break
            }
        }
        return Import(
            path: path.names, kind: path.kind, access: access, attributes: attributes, conditions: conditions,
            line: tokens[index].line)
    }

    private static func path(after index: Int, in tokens: [Token]) -> (names: [String], kind: String?)? {
        var rest = tokens[(index + 1)...].prefix { $0.line == tokens[index].line && $0.text != ";" }
            .filter { $0.text != "`" }[...]
        var kind: String?
        if let first = rest.first, kinds.contains(first.text), rest.count > 1 {
            kind = first.text
            rest = rest.dropFirst()
        }
        guard let module = rest.popFirst(), module.isWord else { return nil }
        var names = [module.text]
        while rest.count >= 2, rest.first?.text == ".", let name = rest.dropFirst().first, name.isWord {
            names.append(name.text)
            rest = rest.dropFirst(2)
        }
        return rest.isEmpty ? (names, kind) : nil
    }

    /// Reads `@name` or `@name(arguments)` backwards from its last token.
    private static func attribute(endingAt end: Int, in tokens: [Token]) -> (name: String, start: Int)? {
        var name = end
        if tokens[end].text == ")" {
            var depth = 0
            while name >= 0 {
                if tokens[name].text == ")" { depth += 1 }
                if tokens[name].text == "(" { depth -= 1 }
                name -= 1
                if depth == 0 { break }
            }
        }
        guard name >= 1, tokens[name].isWord, tokens[name - 1].text == "@" else { return nil }
        return (tokens[name].text, name - 1)
    }
}
