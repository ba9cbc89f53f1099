extension GlobalOptions {
    /// The arguments with all global options moved to the end, where the parser accepts them for each command:
    /// `--json notes list` becomes `notes list --json`. Arguments after a `--` stay where they are.
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
                // A value that looks like an option is not taken; the parser then reports a missing value.
                if let value = rest.first, !value.hasPrefix("-") { moved.append(rest.removeFirst()) }
            } else {
                kept.append(argument)
            }
        }
        return kept + moved + arguments[terminator...]
    }

    /// The arguments with each negative number or duration joined to its option: `--limit -1` becomes
    /// `--limit=-1`. Otherwise the parser takes the number for an option and reports a missing value.
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

    private static let flags = ["--json", "--verbose", "-v", "--offline", "--utc"]
    private static let valued = ["--server", "--profile", "--color", "--timeout"]

    /// `--server=URL`.
    private static func isJoined(_ argument: String) -> Bool { valued.contains { argument.hasPrefix("\($0)=") } }
}
