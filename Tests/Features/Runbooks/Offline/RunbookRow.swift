import GRDB
import StrataDomain
import StrataOffline

/// All that runbooks need to be kept and edited on a device: a table, a mapping, and who decides.
struct RunbookRow: OfflineRow, Equatable {
    static let collectionName = "runbooks"
    static let databaseTableName = "runbook"
    static let migrations = [
        OfflineMigration(
            "1",
            """
            CREATE TABLE runbook (
                id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL, version INTEGER NOT NULL)
            """)
    ]
    static let mergePolicy = MergePolicy(overrides: ["tags": .lastEdit], deletion: .editWins)

    var id: String
    var title: String
    var body: String
    var tags: String
    var version: Int

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        title = try fields.string("title")
        body = try fields.string("body")
        tags = try fields.required("tags", "a list of words") { value in
            guard case .array(let words) = value else { return nil }
            return words.compactMap(\.string).joined(separator: " ")
        }
        version = stamp.version
    }
}
