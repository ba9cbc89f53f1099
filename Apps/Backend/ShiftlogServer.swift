import ArgumentParser

/// The command line of the backend.
struct ShiftlogServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shiftlog-server",
        abstract: "The backend of shiftlog: accounts, runbooks, journal, attachments, sync.",
        discussion: """
            Settings come from flags, then environment, then the file named by --config or SHIFTLOG_CONFIG_FILE (JSON), \
            then defaults.

              SHIFTLOG_HTTP_HOST              127.0.0.1; --host
              SHIFTLOG_HTTP_PORT              8080, 0 takes a free one; --port
              SHIFTLOG_DATABASE               sqlite:PATH, see below; --database
              SHIFTLOG_ENVIRONMENT            production
              SHIFTLOG_SIGNING_SECRET         none; 'new-secret' writes one
              SHIFTLOG_ACCESS_TOKEN_SECONDS   900
              SHIFTLOG_REFRESH_TOKEN_SECONDS  2592000
              SHIFTLOG_ATTACHMENT_DIRECTORY   the database's path and '.attachments'
              SHIFTLOG_ATTACHMENT_BYTES       104857600; the largest file
              SHIFTLOG_LOG_LEVEL              info

            In the file the names are in small letters: {"http": {"port": 8080}, "log_level": "notice"}.

            The database is by default $SHIFTLOG_HOME/server.sqlite, else $XDG_DATA_HOME/shiftlog/server.sqlite, else \
            ~/.local/share/shiftlog/server.sqlite.

            Exit codes: 0 done, 64 usage or settings, 65 rejected input or conflict, 69 the address is taken or cannot \
            be used, 70 bug, 73 the database or the directory of attachments cannot be used.
            """,
        version: "0.1.0",
        subcommands: [ServeCommand.self, MigrateCommand.self, CreateUserCommand.self, NewSecretCommand.self])
}

/// A command that runs with the environment it is handed.
protocol ServerCommand: ParsableCommand, Sendable {
    func run(environment: [String: String]) async throws
}
