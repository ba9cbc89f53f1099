import ArgumentParser

/// The command line of the backend.
struct ShiftlogServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shiftlog-server",
        abstract: "The backend of shiftlog: accounts, runbooks, journal, synchronisation.",
        discussion: """
            Settings come from flags, then environment, then the file named by --config or SHIFTLOG_CONFIG_FILE (JSON), \
            then defaults.

              http.host                --host      SHIFTLOG_HTTP_HOST              127.0.0.1
              http.port                --port      SHIFTLOG_HTTP_PORT              8080; 0 takes a free one
              database                 --database  SHIFTLOG_DATABASE               sqlite:… in the data directory
              environment                          SHIFTLOG_ENVIRONMENT            production
              signing_secret                       SHIFTLOG_SIGNING_SECRET         none; 'new-secret' writes one
              access_token_seconds                 SHIFTLOG_ACCESS_TOKEN_SECONDS   900
              refresh_token_seconds                SHIFTLOG_REFRESH_TOKEN_SECONDS  2592000
              attachment_directory                 SHIFTLOG_ATTACHMENT_DIRECTORY   the database's path and '.attachments'
              attachment_bytes                     SHIFTLOG_ATTACHMENT_BYTES       104857600; the largest file
              log_level                            SHIFTLOG_LOG_LEVEL              info

            The database is by default $SHIFTLOG_HOME/server.sqlite, else $XDG_DATA_HOME/shiftlog/server.sqlite, else \
            ~/.local/share/shiftlog/server.sqlite.

            Exit codes: 0 done, 64 usage or settings, 65 rejected input or conflict, 69 the address is taken or cannot \
            be used, 70 bug, 73 the database cannot be opened or written.
            """,
        version: "0.1.0",
        subcommands: [ServeCommand.self, MigrateCommand.self, CreateUserCommand.self, NewSecretCommand.self])
}

/// A command that runs with the environment it is handed.
protocol ServerCommand: ParsableCommand, Sendable {
    func run(environment: [String: String]) async throws
}
