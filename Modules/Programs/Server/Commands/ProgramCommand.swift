import ArgumentParser

/// The command line of the program.
struct ProgramCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = ServerProgram.current
        return CommandConfiguration(
            commandName: program.name,
            abstract: program.abstract,
            discussion: """
                A flag wins over the environment, the environment over the JSON file of --config or \
                \(program.variable("CONFIG_FILE")), the file over the default.

                \(settings)

                In the file names are in lower case: {"http": {"port": \(program.port)}, "log_level": "notice"}.

                Default database: $\(program.variable("HOME"))/server.sqlite, otherwise \
                $XDG_DATA_HOME/\(program.client)/server.sqlite, otherwise ~/.local/share/\(program.client)/server.sqlite.

                Exit codes: 0 done, 64 usage or settings, 65 rejected input or conflict, 66 not found, 69 the address is taken or cannot \
                be used, or the database server is unreachable, 70 bug, 73 the database or a directory cannot be used.
                """,
            version: program.release,
            subcommands: [
                ServeCommand.self, MigrateCommand.self, OpenAPICommand.self, BackupCommand.self, CopyCommand.self,
                NewSecretCommand.self, CreateUserCommand.self, ListUsersCommand.self, SetPasswordCommand.self,
                EndSessionsCommand.self, DeleteUserCommand.self, LinkUserCommand.self, UnlinkUserCommand.self,
                JobsCommand.self,
            ] + program.commands)
    }

    /// One line for each setting, in two columns.
    private static var settings: String {
        TextColumns.lines(Setting.all.map { [$0.variable, $0.summary] }).map { "  \($0)" }.joined(separator: "\n")
    }
}

/// A command that runs with a given environment.
protocol ServerCommand: ParsableCommand, Sendable {
    func run(environment: [String: String]) async throws
}
