import ArgumentParser
import FoundationEssentials
import StrataSQLite

struct BackupCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database into one file; also while the server runs.",
        discussion: "A file of that name is replaced when the copy is complete.")

    @Argument(help: "Path of the copy.") var file: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        try await StoreOptions.withDatabase(settings, creates: false) { database in
            try await database.backUp(to: file)
        }
        StandardStreams.output("Copied \(settings.database) to '\(file)'.")
        // scaffold:only Attachments
        if FileManager.default.fileExists(atPath: settings.attachmentDirectory) {
            StandardStreams.error("The attached files are not in it; copy '\(settings.attachmentDirectory)' now.")
        }
        // scaffold:end-only
    }
}
