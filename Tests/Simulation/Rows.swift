import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// A row whose edits may conflict. It states its columns, so a snapshot stores rows without `init`.
struct NoteRow: OfflineRow {
    static let collectionName = "notes"
    static let databaseTableName = "note"
    static let migrations = [OfflineMigration("1", SimulatedRow.schema(databaseTableName))]
    static let columns: [OfflineColumn]? = [
        OfflineColumn("text", .text), OfflineColumn("mark", .text, isOptional: true),
        .version,
    ]

    var id: String
    var text: String
    var mark: String?
    var version: Int

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        mark = try fields.optionalString("mark")
        version = stamp.version
    }
}

/// A row whose last edit wins, even against a delete. It states no columns, so `init` makes each row.
struct DraftRow: OfflineRow {
    static let collectionName = "drafts"
    static let databaseTableName = "draft"
    static let migrations = [OfflineMigration("1", SimulatedRow.schema(databaseTableName))]
    static let mergePolicy = MergePolicy(fields: .lastEdit, deletion: .editWins)

    var id: String
    var text: String
    var mark: String?
    var version: Int

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        mark = try fields.optionalString("mark")
        version = stamp.version
    }
}

enum SimulatedRow {
    static func schema(_ table: String) -> String {
        "CREATE TABLE \(table) (id TEXT PRIMARY KEY, text TEXT NOT NULL, mark TEXT, version INTEGER NOT NULL)"
    }

    /// The key of a number: the first few are notes, the others drafts.
    static func key(_ entity: Int) -> ModelServer.Key {
        ModelServer.Key(collection: entity < 3 ? "notes" : "drafts", id: "e\(entity)")
    }
}
