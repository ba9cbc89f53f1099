public import ArgumentParser
import FoundationEssentials
public import StrataService
import StrataSystem

/// The program of a backend: its commands, settings and accounts, with features and jobs that its owner lists.
///
/// ```swift
/// @main struct TidesServer {
///     static func main() async {
///         await ServerProgram(
///             name: "tides-server", client: "tides", release: "0.1.0", abstract: "The backend of tides.",
///             features: { settings, store in [HarboursService()] }
///         ).run()
///     }
/// }
/// ```
public struct ServerProgram: Sendable {
    /// The name of the program, of its loggers and of the service.
    let name: String
    /// The name of the command line beside it: the data directory, the audience of tokens and the prefix of variables and metrics.
    let client: String
    let release: String
    let abstract: String
    let port: Int
    let settings: [Setting]
    let roles: UserRoles
    let openID: OpenIDRule?
    let mailer: any Mailer
    let features: @Sendable (Settings, any Store) throws -> [any FeatureService]
    let jobs: @Sendable (Settings, any Store) throws -> [JobHandler]
    let metrics: @Sendable (PrometheusRegistry) -> Void
    let commands: [any AsyncParsableCommand.Type]

    /// - Parameters:
    ///   - name: The file name of the program, such as `tides-server`. Its loggers are `tides-server`, `tides-server.auth` and so on.
    ///   - client: The file name of the command line, such as `order-desk`. Variables then begin with `ORDER_DESK_`, metrics with
    ///     `order_desk_`; the database is in `order-desk` below the data directory of the user.
    ///   - release: The version of the program and of its OpenAPI document.
    ///   - abstract: One sentence for the help.
    ///   - port: Where it listens without a setting. Default: 8080.
    ///   - settings: Those of the features, besides the ones that every server has. Default: none.
    ///   - roles: What users may be: `UserRoles(StaffRole.self)`. Default: members and administrators.
    ///   - openID: Which account a user of the OpenID provider gets at the first sign-in, where the setting `oidc.accounts` is not set.
    ///     Default: none, an administrator links one.
    ///   - mailer: Takes the mails of the service. Default: the program `sendmail`.
    ///   - features: What the server serves beside accounts. A `SettingsError` ends the program with status 64.
    ///   - jobs: Kinds of jobs that features enqueue, and functions that run at times. Default: none.
    ///   - metrics: Adds metrics to those of the server, such as samples with `collect`. Default: none.
    ///   - commands: Commands besides those that every server has; `StoreOptions` opens the database for one. Default: none.
    public init(
        name: String, client: String, release: String, abstract: String, port: Int = 8080,
        settings: [Setting] = [], roles: UserRoles = UserRoles(), openID: OpenIDRule? = nil,
        mailer: any Mailer = SendmailMailer(),
        features: @escaping @Sendable (Settings, any Store) throws -> [any FeatureService],
        jobs: @escaping @Sendable (Settings, any Store) throws -> [JobHandler] = { _, _ in [] },
        metrics: @escaping @Sendable (PrometheusRegistry) -> Void = { _ in },
        commands: [any AsyncParsableCommand.Type] = []
    ) {
        (self.name, self.client, self.release, self.abstract) = (name, client, release, abstract)
        (self.port, self.settings, self.roles) = (port, settings, roles)
        (self.openID, self.mailer) = (openID, mailer)
        (self.features, self.jobs, self.metrics, self.commands) = (features, jobs, metrics, commands)
    }

    /// Does what the arguments of the process say. Ends the process when that fails, with one line on standard error and a status
    /// of sysexits.h.
    public func run() async {
        CoreDumps.forbid()
        // A closed pipe is an error of `write` instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        begin()
        do {
            var command = try ProgramCommand.parseAsRoot()
            if let command = command as? any ServerCommand {
                do { try await command.run(environment: ProcessInfo.processInfo.environment) } catch {
                    end(with: Failure(error))
                }
            } else if var own = command as? any AsyncParsableCommand {
                do { try await own.run() } catch {
                    let failure = Failure(error)
                    // What is none of the server's errors is the owner's.
                    if failure.status == Failure.bug { ProgramCommand.exit(withError: error) }
                    end(with: failure)
                }
            } else {
                // No subcommand, `help` or `--version`: the parser's own answer.
                try command.run()
            }
        } catch {
            ProgramCommand.exit(withError: error)
        }
    }

    private func end(with failure: Failure) -> Never {
        StandardStreams.error("\(name): \(failure.message)")
        exit(failure.status)
    }

    /// The service as the program wires it, with a new signing secret: for tests of its interface and its migrations.
    ///
    /// - Parameters:
    ///   - environment: The variables that settings are read from.
    ///   - store: Default: `nil`, a store whose transactions throw `StoreError.unavailable`; the OpenAPI document needs none.
    /// - Throws: `SettingsError` for a setting that is not valid, and what `features` and `jobs` throw.
    public func service(
        environment: [String: String], store: (any Store)? = nil
    ) async throws -> ServiceApplication {
        try await Self.$current.withValue(self) {
            try await Backend(offline: Settings(environment: environment), store: store ?? NoStore()).service
        }
    }
}
