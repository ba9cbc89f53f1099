import ArgumentParser
import Logging
import StrataDomain
import StrataService

struct MigrateCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate the database to the schema of this program; 'serve' does this too."
    )

    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        // Without the lock: a running server has migrated already, and each step is one transaction.
        try await StoreOptions.withDatabase(settings) { database in
            try await Backend(offline: settings, store: database).service.prepare()
        }
        try StandardStreams.output("\(settings.database) is up to date.")
    }
}
