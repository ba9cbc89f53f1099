import ArgumentParser

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
}
