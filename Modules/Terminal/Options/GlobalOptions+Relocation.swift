extension GlobalOptions {
    /// The arguments with every global option behind the rest, where the parser accepts it for each command:
    /// `--json runbooks list` becomes `runbooks list --json`. Arguments after a `--` stay where they are.
    public static func movedToTheEnd(_ arguments: [String]) -> [String] {
        let terminator = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var rest = arguments[..<terminator]
        var kept: [String] = []
        var moved: [String] = []
        while let argument = rest.popFirst() {
            if flags.contains(argument) || isJoined(argument) {
                moved.append(argument)
            } else if valued.contains(argument) {
                moved.append(argument)
                // A value that looks like an option is none; the parser then says that one is missing.
                if let value = rest.first, !value.hasPrefix("-") { moved.append(rest.removeFirst()) }
            } else {
                kept.append(argument)
            }
        }
        return kept + moved + arguments[terminator...]
    }

    private static let flags: Set = ["--json", "--verbose", "-v", "--offline"]
    private static let valued: Set = ["--server", "--profile", "--color", "--timeout"]

    /// `--server=URL`.
    private static func isJoined(_ argument: String) -> Bool { valued.contains { argument.hasPrefix("\($0)=") } }
}
