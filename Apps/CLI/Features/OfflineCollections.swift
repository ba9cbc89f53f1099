// scaffold:begin imports
import JournalData
import StrataOffline

// scaffold:end imports

/// What the offline database of a profile keeps; `Scripts/new-feature` writes a row for each feature that works offline.
enum OfflineCollections {
    static let all = rows {
        // scaffold:begin collections
        JournalRow.collection
        // scaffold:end collections
    }

    /// Rows stand one below the other without commas, so that there may be any number of them.
    private static func rows(@Rows _ list: () -> [OfflineCollection]) -> [OfflineCollection] { list() }

    @resultBuilder private enum Rows {
        static func buildBlock(_ rows: OfflineCollection...) -> [OfflineCollection] { rows }
    }
}
