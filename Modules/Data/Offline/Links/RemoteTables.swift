import FoundationEssentials
import GRDB
import StrataDomain

/// What a local row is at another API.
struct RemoteLink: Hashable, Sendable {
    var entityID: String
    var remoteID: RemoteID
    /// Of the state that was seen last; `nil` when it is unknown since a write.
    var revision: String?
    var entityTag: String?
    /// Whether a complete list did not have the row, and a user must confirm that it is deleted.
    var isMissing = false
    /// The last position of a create with an unknown outcome when the row was first fetched; `nil` without one.
    var suspect: Int?
    /// Of the last write that was sent under an idempotency key, where `If-Match` is used; `nil` without one.
    var sent: SentTag?
}

/// The entity tag that a write was sent with. A repeat under the same key has the same one.
struct SentTag: Hashable, Sendable {
    var write: Mutation.ID
    /// `nil` when it was sent without a tag.
    var tag: String?
}

/// Reads and writes the tables of other APIs inside one database access.
struct RemoteTables {
    let db: Database

    private static let selection = """
        SELECT entity_id, remote_id, revision, tag, missing, suspect, sent_write, sent_tag FROM remote_row
        WHERE collection = ?
        """

    func link(_ key: EntityKey) throws -> RemoteLink? {
        try one("\(Self.selection) AND entity_id = ?", [key.collection, key.id])
    }

    func link(of id: RemoteID, in collection: String) throws -> RemoteLink? {
        try one("\(Self.selection) AND remote_id = ?", [collection, id.rawValue])
    }

    func links(of collection: String) throws -> [RemoteLink] {
        try Row.fetchAll(db.cachedStatement(sql: Self.selection), arguments: [collection]).compactMap(Self.link)
    }

    func set(_ link: RemoteLink, in collection: String) throws {
        let sql = """
            INSERT OR REPLACE INTO remote_row
                (collection, entity_id, remote_id, revision, tag, missing, suspect, sent_write, sent_tag)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        try db.cachedStatement(sql: sql).execute(arguments: [
            collection, link.entityID, link.remoteID.rawValue, link.revision, link.entityTag, link.isMissing,
            link.suspect, link.sent?.write, link.sent?.tag,
        ])
    }

    func removeLink(_ key: EntityKey) throws {
        try db.cachedStatement(sql: "DELETE FROM remote_row WHERE collection = ? AND entity_id = ?")
            .execute(arguments: [key.collection, key.id])
    }

    /// The position of the last create of a collection that was sent without a known outcome; `nil` without one.
    func unresolvedCreate(in collection: String) throws -> Int? {
        let sql = """
            SELECT max(client_seq) FROM outbox WHERE collection = ? AND operation = 'create' AND state = 'inflight'
            """
        return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [collection])
    }

    /// Makes the next pull compare every row again.
    func forgetRevisions(of collection: String) throws {
        try db.cachedStatement(sql: "UPDATE remote_row SET revision = NULL WHERE collection = ?")
            .execute(arguments: [collection])
    }

    // MARK: - References to rows that are not here

    /// Notes that a row refers to one of the server that is not known here yet.
    func noteDangling(_ id: RemoteID, in collection: String) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO meta (key, value) VALUES (?, '')")
            .execute(arguments: [Self.dangling(id, collection)])
    }

    /// - Returns: Whether there was a note.
    func forgetDangling(_ id: RemoteID, in collection: String) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM meta WHERE key = ?").execute(arguments: [Self.dangling(id, collection)]
        )
        return db.changesCount > 0
    }

    private static func dangling(_ id: RemoteID, _ collection: String) -> String { "dangling/\(collection)/\(id)" }

    // MARK: - Rows

    func hasBase(_ key: EntityKey) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM base_row WHERE collection = ? AND entity_id = ?)"
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key.collection, key.id]) ?? false
    }

    // MARK: - How far a collection was read

    struct Place: Hashable, Sendable {
        /// A cursor, or the server's time of the newest change in milliseconds since 1970.
        var checkpoint: String?
        var listedAt: Date?
        var pulledAt: Date?
    }

    func place(of collection: String) throws -> Place {
        let sql = "SELECT checkpoint, listed_at, pulled_at FROM remote_place WHERE collection = ?"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [collection]) else { return Place() }
        func date(_ column: Int) -> Date? { Int64.fromDatabaseValue(row[column]).map(Date.init(milliseconds:)) }
        return Place(checkpoint: String.fromDatabaseValue(row[0]), listedAt: date(1), pulledAt: date(2))
    }

    func set(_ place: Place, of collection: String) throws {
        let sql = """
            INSERT OR REPLACE INTO remote_place (collection, checkpoint, listed_at, pulled_at) VALUES (?, ?, ?, ?)
            """
        try db.cachedStatement(sql: sql).execute(arguments: [
            collection, place.checkpoint, place.listedAt?.milliseconds, place.pulledAt?.milliseconds,
        ])
    }

    private func one(_ sql: String, _ arguments: StatementArguments) throws -> RemoteLink? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments).flatMap(Self.link)
    }

    /// `nil` for a row that the engine never writes.
    private static func link(_ row: Row) -> RemoteLink? {
        guard let id = String.fromDatabaseValue(row[0]), let remote = String.fromDatabaseValue(row[1]) else {
            return nil
        }
        return RemoteLink(
            entityID: id, remoteID: RemoteID(remote), revision: String.fromDatabaseValue(row[2]),
            entityTag: String.fromDatabaseValue(row[3]), isMissing: Bool.fromDatabaseValue(row[4]) ?? false,
            suspect: Int.fromDatabaseValue(row[5]),
            sent: String.fromDatabaseValue(row[6]).map { SentTag(write: $0, tag: String.fromDatabaseValue(row[7])) })
    }
}
