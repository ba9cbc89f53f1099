import ArgumentParser
import FoundationEssentials
import StrataSQLite

#if !All
    #error("StrataServerProgram needs the trait 'All': name it in 'traits:' where your Package.swift names Strata.")
#endif

struct BackupCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy an embedded database into one file; also while the server runs.",
        discussion: "A file of that name is replaced when the copy is complete.")

    @Argument(help: "Path of the copy.") var file: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        guard case .sqlite(let location) = settings.database else {
            throw SettingsError(
                "backup copies an embedded database. For PostgreSQL run "
                    + "pg_dump --format=custom --file='\(file)' '\(settings.database)'; pg_restore reads the file.")
        }
        var directories: [String] = []
        try await StoreOptions.withEmbedded(location, creates: false) { database in
            directories = try await Backend(offline: settings, store: database).directories
            try await database.backUp(to: file)
        }
        try StandardStreams.output("Copied \(settings.database) to '\(file)'.")
        for directory in directories where FileManager.default.fileExists(atPath: directory) {
            StandardStreams.error("The attached files are not in it; copy '\(directory)' now.")
        }
    }
}
