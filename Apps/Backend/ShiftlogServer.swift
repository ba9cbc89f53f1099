import ArgumentParser

/// The command line of the backend.
struct ShiftlogServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shiftlog-server",
        abstract: "The backend of shiftlog: accounts, the features' resources, sync.",
        discussion: """
            A flag wins over the environment, the environment over the JSON file of --config or SHIFTLOG_CONFIG_FILE, the file \
            over the default.

            \(Self.settings)

            In the file names are in lower case: {"http": {"port": 8080}, "log_level": "notice"}.

            Default database: $SHIFTLOG_HOME/server.sqlite, otherwise $XDG_DATA_HOME/shiftlog/server.sqlite, otherwise \
            ~/.local/share/shiftlog/server.sqlite.

            Exit codes: 0 done, 64 usage or settings, 65 rejected input or conflict, 66 not found, 69 the address is taken or cannot \
            be used, 70 bug, 73 the database or a directory cannot be used.
            """,
        version: Self.release,
        subcommands: [
            ServeCommand.self, MigrateCommand.self, OpenAPICommand.self, BackupCommand.self, CopyCommand.self,
            NewSecretCommand.self, CreateUserCommand.self, ListUsersCommand.self, SetPasswordCommand.self,
            EndSessionsCommand.self, DeleteUserCommand.self, LinkUserCommand.self, UnlinkUserCommand.self,
            JobsCommand.self,
        ])

    /// One line for each setting, in two columns.
    private static var settings: String {
        let width = Setting.allCases.map(\.variable.count).max() ?? 0
        return Setting.allCases.map { setting in
            let padding = String(repeating: " ", count: width + 2 - setting.variable.count)
            return "  \(setting.variable)\(padding)\(setting.summary)"
        }.joined(separator: "\n")
    }
}

/// A command that runs with a given environment.
protocol ServerCommand: ParsableCommand, Sendable {
    func run(environment: [String: String]) async throws
}
