import FoundationEssentials
import GRDB
public import StrataDomain

/// An entity in its table: its fields are one JSON document, so a new field needs no migration.
public struct EntityRow<Content: Entity>: OfflineRow {
    public static var collectionName: String { Content.collection }
    public static var databaseTableName: String { Content.collection }
    public static var migrations: [OfflineMigration] {
        [
            OfflineMigration(
                "1",
                """
                CREATE TABLE \(databaseTableName.quotedDatabaseIdentifier) (
                    id TEXT PRIMARY KEY, content TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL)
                """),
            OfflineMigration(
                "2", "ALTER TABLE \(databaseTableName.quotedDatabaseIdentifier) ADD COLUMN author TEXT"),
        ]
    }

    let id: String
    private let content: String
    private let version: Int
    private let updatedAt: Date
    private let author: String?

    private enum CodingKeys: String, CodingKey {
        case id, content, version, author
        case updatedAt = "updated_at"
    }

    /// - Throws: `WireFields.Mismatch` for fields that make no entity.
    public init(id: String, fields: WireFields, stamp: RowStamp) throws {
        let entity: Content
        do { entity = try Content(wireFields: fields.values.filter { $0.value != .null }) } catch {
            guard let failure = error as? WireJSON.Failure else { throw error }
            throw WireFields.Mismatch(field: failure.path, expected: failure.expected)
        }
        self.id = id
        content = String(decoding: try WireJSON.encode(entity), as: UTF8.self)
        version = stamp.version
        updatedAt = stamp.updatedAt
        author = Content.recordsAuthor ? try fields.optionalString("author") : nil
    }

    func stored(_ syncState: SyncState?) throws -> Stored<Content> {
        Stored(
            id: Identifier(id), try WireJSON.decode(Content.self, from: Data(content.utf8)), version: version,
            updatedAt: updatedAt, author: author, syncState: syncState ?? .synced)
    }
}
