import ArgumentParser
import Logging
import Metrics
import ServiceLifecycle
import StrataDomain
import StrataService
import StrataSystem
import UnixSignals

struct ServeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Migrate the database, then serve requests until SIGTERM, SIGINT or SIGHUP.")

    @Option(help: "Address or name to listen on; a socket from systemd takes precedence.") var host: String?
    @Option(help: "Port to listen on; 0 selects a free one.") var port: String?
    @Option(help: "Origins whose pages may call this server, with commas between them, or * for all.")
    var corsOrigins: String?
    @OptionGroup var own: OwnOptions
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        Supervision.forget()
        let supervision = try Supervision(environment: environment)
        var flags = own.values
        flags[.host] = host
        flags[.port] = port
        flags[.corsOrigins] = corsOrigins
        let settings = try store.settings(environment, flags: flags)
        let (secret, isEphemeral) = try SigningSecret.resolve(settings.signingSecret, in: settings.environment)
        let logger = Self.logger(settings)
        if isEphemeral {
            logger.warning("no signing secret is set: every user is logged out when this process ends")
        }
        if settings.database.file == nil, settings.publicURL == nil {
            logger.warning("public_url is not set: other replicas refuse the tokens that this one issues")
        }
        try await StoreOptions.withDatabase(settings, exclusive: true) { database in
            let backend = try await Backend(
                settings, store: database, secret: secret, supervision: supervision,
                onListening: Self.announce(supervision.socket?.url, or: settings.host))
            try await backend.prepare()
            try await ServiceGroup(
                services: [backend.service], gracefulShutdownSignals: Self.shutdownSignals, logger: logger
            ).run()
        }
    }

    /// SIGHUP is sent when a terminal closes. A program started with `nohup` continues to ignore it.
    private static var shutdownSignals: [UnixSignal] {
        var present = sigaction()
        let isIgnored = sigaction(SIGHUP, nil, &present) == 0 && present.ignoresSignal
        return [.sigterm, .sigint] + (isIgnored ? [] : [.sighup])
    }

    /// Logs to standard error, so that standard output stays empty.
    private static func logger(_ settings: Settings) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch settings.logFormat {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler(label: label)
                }
            handler.logLevel = settings.logLevel
            return handler
        }
        return Logger(label: ServerProgram.current.name)
    }

    /// Prints the address once, for users and scripts that wait for it.
    private static func announce(_ url: String?, or host: String) -> @Sendable (Int) -> Void {
        let authority = host.contains(":") ? "[\(host)]" : host
        return { port in StandardStreams.error("listening on \(url ?? "http://\(authority):\(port)")") }
    }
}

extension sigaction {
    fileprivate var ignoresSignal: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
