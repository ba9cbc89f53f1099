public import ArgumentParser
import StrataDomain
import StrataSystem

extension Console {
    /// Prints the parser's own output and returns the exit status: help and version go to standard
    /// output, usage errors are printed as by `fail`.
    ///
    /// - Parameter arguments: With the global options after the command.
    public func answer<Root: ParsableCommand>(
        _ error: any Error, of root: Root.Type, to arguments: [String]
    ) -> ExitStatus {
        guard Root.exitCode(for: error) != .success else {
            document(Root.fullMessage(for: error, columns: output.width))
            return .done
        }
        let place = CommandPlace(root, arguments)
        // The parser separates suggestions by line breaks.
        let message = place.complaint ?? Root.message(for: error).replacing("\n   or: ", with: " or: ")
        let status = fail(CommandFailure(.usage, message))
        if !isJSON { note("See '\(place.path) --help'.") }
        return status
    }
}

/// How far the arguments lead into the tree of commands.
struct CommandPlace {
    /// As it is typed: `orders notes list`.
    private(set) var path: String
    /// The error of the next word, if a command is expected there.
    private(set) var complaint: String?

    init(_ root: any ParsableCommand.Type, _ arguments: [String]) {
        path = root.name
        var type = root
        for word in arguments.prefix(while: { !$0.hasPrefix("-") }) {
            let commands = type.configuration.subcommands
            if commands.isEmpty || word == "help" { return }
            guard let next = commands.first(where: { $0.name == word }) else {
                complaint = "'\(word)' is no command of '\(path)'." + Self.advice(word, commands.map { $0.name })
                return
            }
            type = next
            path += " \(next.name)"
        }
    }

    private static func advice(_ word: String, _ names: [String]) -> String {
        if let near = EditDistance.nearest(to: word, among: names) { return " Did you mean '\(near)'?" }
        return " There are \(names.dropLast().map { "'\($0)'" }.joined(separator: ", ")) and '\(names.last ?? "")'."
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? ProgramName.current }
}
