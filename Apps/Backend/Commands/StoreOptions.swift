import AccountsService
import ArgumentParser
import Logging
import StrataSQLite

/// Options of every command that uses the database.
struct StoreOptions: ParsableArguments {
    @Option(help: "The database, sqlite:PATH.")
    var database: String?

    @Option(help: "A JSON file with settings.")
    var config: String?

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

    /// Opens the database for `body` and closes it, also if `body` throws; afterwards it is one complete file.
    ///
    /// - Parameter creates: Whether a missing database is created.
    static func withDatabase(
        _ settings: Settings, exclusive: Bool = false, creates: Bool = true,
        logger: Logger = Logger(label: "shiftlog-server"), _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        let database = try await SQLiteStore.open(
            settings.database, exclusive: exclusive, creates: creates, logger: logger)
        do { try await body(database) } catch {
            // The first error is the cause; a second one is only logged.
            do { try await database.close() } catch {
                logger.error("the database was not closed", metadata: ["error": "\(error)"])
            }
            throw error
        }
        try await database.close()
    }
}
