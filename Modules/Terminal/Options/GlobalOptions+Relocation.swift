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

    /// The arguments with each negative number, or span of time, joined to the option it stands behind: `--limit -1` becomes
    /// `--limit=-1`. The parser takes it for an option else, and says that the value is missing instead of what is wrong.
    public static func negativeNumbersJoined(_ arguments: [String]) -> [String] {
        let terminator = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var result: [String] = []
        for argument in arguments[..<terminator] {
            if isNegative(argument), let option = result.last, option.hasPrefix("--"), !option.contains("=") {
                result[result.endIndex - 1] = "\(option)=\(argument)"
            } else {
                result.append(argument)
            }
        }
        return result + arguments[terminator...]
    }

    private static func isNegative(_ argument: String) -> Bool {
        let rest = argument.utf8.dropFirst()
        return argument.hasPrefix("-") && rest.first.map { (0x30...0x39).contains($0) || $0 == 0x2E } ?? false
    }

    private static let flags: Set = ["--json", "--verbose", "-v", "--offline", "--utc"]
    private static let valued: Set = ["--server", "--profile", "--color", "--timeout"]

    /// `--server=URL`.
    private static func isJoined(_ argument: String) -> Bool { valued.contains { argument.hasPrefix("\($0)=") } }
}
