import ArgumentParser
import StrataTerminal

/// The command line: all commands and groups.
struct Shiftlog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shiftlog",
        abstract: "An on-call journal with runbooks that works when the network does not.",
        discussion: """
            Exit codes: 0 done, 64 usage, 65 rejected input or conflict, 66 not found, 69 unreachable and nothing \
            stored, 70 bug, 73 cannot write, 75 timed out or overloaded, 77 not logged in or not allowed, \
            130 interrupted.
            """,
        version: Version.current,
        subcommands: CommandSet.all.flatMap(\.commands) + [CompletionCommand.self])
}
