import AccountsService
public import ArgumentParser
import FoundationEssentials
import Logging
import StrataSQLite
public import StrataService

#if POSTGRES
    import StrataPostgres
#endif

/// Options of every command that uses the database.
///
/// ```swift
/// struct CountHarbours: AsyncParsableCommand {
///     @OptionGroup var options: StoreOptions
///     func run() async throws {
///         let count = try await options.withStore { store, _ in
///             try await store.read { try $0.row("SELECT COUNT(*) AS count FROM harbours")?.int("count") }
///         }
///         print(count ?? 0)
///     }
/// }
/// ```
public struct StoreOptions: ParsableArguments, Sendable {
    @Option(help: "The database, sqlite:PATH or postgres://USER@HOST/NAME.")
    var database: String?

    @Option(help: "A JSON file with settings.")
    var config: String?

    /// Without options: the database of the settings.
    public init() {}

    /// Opens the existing database for a command of an owner's own, also while the server runs, and closes it.
    ///
    /// - Parameter environment: The variables that settings are read from. Default: `nil`, those of the process.
    /// - Throws: `SettingsError`; `StoreError.unavailable` when there is no database file; an error that ends the program with 69 when
    ///   the database server is not there, or is lost in `body`; what else `body` throws.
    public func withStore<Result>(
        environment: [String: String]? = nil,
        _ body: (any Store, Settings) async throws -> Result
    ) async throws -> Result {
        let settings = try settings(environment ?? ProcessInfo.processInfo.environment)
        var result: Result?
        try await Self.withDatabase(settings, creates: false) { result = try await body($0, settings) }
        guard let result else { throw StoreError.failed("The command had no result.") }
        return result
    }

    func settings(
        _ environment: [String: String], flags: [Setting: String] = [:]
    ) throws -> Settings {
        var flags = flags
        flags[.database] = database
        return try Settings(flags: flags, configFile: config, environment: environment)
    }

    /// Passes the accounts of an existing database to `body`; also while the server runs.
    func withAccounts(
        _ environment: [String: String], _ body: (AccountsService) async throws -> Void
    ) async throws {
        let settings = try settings(environment)
        try await Self.withDatabase(settings, creates: false) { database in
            try await body(try await Backend(offline: settings, store: database).accounts)
        }
    }

    /// Opens the database for `body` and closes it, also if `body` throws. Afterwards an embedded one is one complete file.
    ///
    /// - Parameters:
    ///   - exclusive: Whether another server of an embedded database is refused.
    ///   - creates: Whether a missing embedded database is created.
    ///   - application: The name of this program in the list of connections of a database server.
    static func withDatabase(
        _ settings: Settings, exclusive: Bool = false, creates: Bool = true,
        application: String = ServerProgram.current.name,
        logger: Logger = ServerProgram.current.logger("database"), _ body: (any CopyableStore) async throws -> Void
    ) async throws {
        switch settings.database {
        case .sqlite(let location):
            try await withEmbedded(location, exclusive: exclusive, creates: creates, logger: logger, body)
        #if POSTGRES
            case .postgres(let location):
                try await withServer(location, application, logger: logger, body)
        #endif
        }
    }

    static func withEmbedded(
        _ location: SQLiteLocation, exclusive: Bool = false, creates: Bool = true,
        logger: Logger = ServerProgram.current.logger("database"), _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        let database = try await SQLiteStore.open(location, exclusive: exclusive, creates: creates, logger: logger)
        do { try await body(database) } catch {
            // The first error is the cause; a second one is only logged.
            do { try await database.close() } catch {
                logger.error("the database was not closed", metadata: ["error": "\(error)"])
            }
            throw error
        }
        try await database.close()
    }

    #if POSTGRES
        private static func withServer(
            _ location: PostgresLocation, _ application: String, logger: Logger,
            _ body: (any CopyableStore) async throws -> Void
        ) async throws {
            let database = try await reaching {
                try await PostgresStore.open(location, application: application, logger: logger)
            }
            do { try await reaching { try await body(database) } } catch {
                await database.close()
                throw error
            }
            await database.close()
        }

        /// A database server that is not there, or goes away while a command runs, is unreachable (69): the command may be tried again.
        /// Status 73 is for files.
        private static func reaching<Result>(_ body: () async throws -> Result) async throws -> Result {
            do { return try await body() } catch StoreError.unavailable(let sentence) {
                throw Failure(sentence, Failure.unavailable)
            }
        }
    #endif
}
