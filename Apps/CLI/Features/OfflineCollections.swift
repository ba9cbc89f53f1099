// scaffold:begin imports
import JournalData
import StrataOffline

// scaffold:end imports

/// What the offline database of a profile keeps; `Scripts/new-feature` writes a row for each feature that works offline.
enum OfflineCollections {
    static let all: [OfflineCollection] = [
        // scaffold:begin collections
        JournalRow.collection
        // scaffold:end collections
    ]
}
