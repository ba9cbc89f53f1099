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

    /// Opens the database for `body` and closes it, also if `body` throws; afterwards it is one complete file.
    static func withDatabase(
        _ settings: Settings, exclusive: Bool = false, logger: Logger = Logger(label: "shiftlog-server"),
        _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        let database = try await SQLiteStore.open(settings.database, exclusive: exclusive, logger: logger)
        do { try await body(database) } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
    }
}
