import ArgumentParser
import StrataTerminal
import Testing

private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tides", abstract: "Tells tides.", version: "1.2",
        subcommands: [SyncGroup.self, OutboxGroup.self, ConflictsGroup.self])
}

struct ParserAnswerTests {
    private func answer(_ line: String, json: Bool = false) -> (status: ExitStatus, output: String, errors: [String]) {
        let arguments = GlobalOptions.negativeNumbersJoined(line.split(separator: " ").map(String.init))
        let (console, output, errors) = Console.inMemory(json: json)
        do {
            var command = try Root.parseAsRoot(arguments)
            try command.run()
            return (.done, output.text, errors.lines)
        } catch {
            return (console.answer(error, of: Root.self, to: arguments), output.text, errors.lines)
        }
    }

    @Test func `help and version are results`() {
        let help = answer("outbox --help")
        #expect(help.status == .done && help.output.contains("USAGE: tides outbox") && help.errors.isEmpty)
        #expect(answer("--version").output == "1.2\n")
        #expect(answer("outbox").output.contains("SUBCOMMANDS"))
    }

    @Test func `a usage error is printed like other errors and names the help`() {
        let unknown = answer("outbox list --jsn")
        #expect(unknown.status == .usage && unknown.output.isEmpty)
        #expect(
            unknown.errors == [
                "error: Unknown option '--jsn'. Did you mean '--json'?", "See 'tides outbox list --help'.",
            ])
        #expect(answer("outbox show").errors.first == "error: Missing expected argument '<id>'.")
    }

    @Test func `a usage error with --json is one document`() {
        let (status, output, errors) = answer("outbox show --json", json: true)
        #expect(status == .usage && output.isEmpty)
        #expect(
            errors == [#"{"error":{"code":"usage","fields":[],"message":"Missing expected argument '<id>'"}}"#])
    }

    @Test(arguments: [
        ("outbx", "'outbx' is no command of 'tides'. Did you mean 'outbox'?", "tides"),
        ("outbox lst", "'lst' is no command of 'tides outbox'. Did you mean 'list'?", "tides outbox"),
        ("outbox dis", "'dis' is no command of 'tides outbox'. Did you mean 'discard'?", "tides outbox"),
        (
            "conflicts everything",
            "'everything' is no command of 'tides conflicts'. There are 'list', 'show', 'resolve' and 'export'.",
            "tides conflicts"
        ),
        ("sync statsu", "'statsu' is no command of 'tides sync'. Did you mean 'status'?", "tides sync"),
    ])
    func `a misspelt command suggests the nearest one or lists all`(line: String, message: String, path: String) {
        let (status, _, errors) = answer(line)
        #expect(status == .usage)
        #expect(errors == ["error: \(message)", "See '\(path) --help'."])
    }

    @Test(arguments: [
        ("outbox list --limit -1", "--limit must be 1 or more; it is -1."),
        ("sync --timeout -1", "--timeout must be more than 0 and at most 86400 seconds; it is -1.0."),
        ("sync --timeout -.5", "--timeout must be more than 0 and at most 86400 seconds; it is -0.5."),
    ])
    func `a negative number is refused with the rule of its option`(line: String, message: String) {
        #expect(answer(line).errors.first == "error: \(message)")
    }

    @Test(arguments: [
        (["--limit", "-1"], ["--limit=-1"]), (["--since", "-5h"], ["--since=-5h"]), (["-v", "-1"], ["-v", "-1"]),
        (["--limit=5", "-1"], ["--limit=5", "-1"]), (["add", "-1"], ["add", "-1"]),
        (["--limit", "-x"], ["--limit", "-x"]),
        (["--", "--limit", "-1"], ["--", "--limit", "-1"]), (["--limit", "-"], ["--limit", "-"]), ([], []),
    ])
    func `only a number directly after an option is joined to it`(given: [String], joined: [String]) {
        #expect(GlobalOptions.negativeNumbersJoined(given) == joined)
    }

    @Test func `a repeated argument in an error is one line of bounded length`() {
        let (console, _, errors) = Console.inMemory()
        let name = String(repeating: "a", count: 300)
        _ = console.fail(CommandFailure(.usage, "Profile 'a\nb\u{1B}[2J' and '\(name)' are no names"))
        console.warn("It's \(name) again")
        let short = String(repeating: "a", count: 100) + "…" + String(repeating: "a", count: 40)
        #expect(
            errors.lines == [
                #"error: Profile 'a\nb\x1B[2J' and '\#(short)' are no names."#, "warning: It's \(short) again",
            ])
    }

    @Test func `a long sentence of short words stays whole`() {
        let (console, _, errors) = Console.inMemory()
        let text = String(repeating: "The server's answer 'was' long. ", count: 20)
        console.warn(text)
        #expect(errors.text == "warning: \(text)\n")
    }
}
