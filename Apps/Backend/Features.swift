// scaffold:begin imports
import AttachmentsService
import JournalService
import RunbooksService
import StrataService

// scaffold:end imports

/// What this backend serves beside accounts; `Scripts/new-feature` writes a row for each feature.
struct Features {
    let list: [any FeatureService]

    init(_ settings: Settings, store: any Store) {
        list = Self.rows {
            // scaffold:begin features
            AttachmentsService(blobs: settings.blobs(in: store), limit: settings.attachmentBytes)
            JournalService()
            RunbooksService()
            // scaffold:end features
        }
    }

    /// Rows are written without commas, so that there may be any number.
    private static func rows(@Rows _ list: () -> [any FeatureService]) -> [any FeatureService] { list() }

    @resultBuilder private enum Rows {
        static func buildBlock(_ rows: any FeatureService...) -> [any FeatureService] { rows }
    }
}
