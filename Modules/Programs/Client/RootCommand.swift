import ArgumentParser

/// The tree of all commands. Which program's it is, is set while arguments are parsed and answered.
struct RootCommand: ParsableCommand {
    @TaskLocal static var configuration: CommandConfiguration = CommandConfiguration()
}

extension CommandConfiguration {
    /// The root of a program: its groups and commands in the order of the help, then `completion`.
    init(of name: String, _ release: String, _ abstract: String, _ commands: [CommandSet]) {
        self.init(
            commandName: name, abstract: abstract,
            discussion: """
                Exit codes: 0 done, 64 usage, 65 rejected input or conflict, 66 not found, 69 unreachable and nothing \
                stored, 70 bug, 73 cannot write, 75 timed out or overloaded, 77 not logged in or not allowed, \
                130 interrupted.
                """,
            version: release, subcommands: commands.flatMap(\.commands) + [CompletionCommand.self])
    }
}
