import FoundationEssentials
import GRDB
import StrataDomain

/// The last local write, as it stands in `meta`: what undoing it needs.
struct LastWrite: Codable, Sendable {
    var collection: String
    var entityId: String
    /// The row before and after; `nil` for none.
    var before: String?
    var after: String?
    /// Whether it deleted a row that the server never had.
    var isWithoutTrace = false
    /// Why it cannot be undone; `nil` if it can.
    var obstacle: String?

    private static let name = "last-write"

    /// - Throws: For rows that are no JSON.
    init(_ key: EntityKey, before: [String: JSONValue]?, after: [String: JSONValue]?) throws {
        (collection, entityId) = (key.collection, key.id)
        self.before = try before.map(FieldText.encode)
        self.after = try after.map(FieldText.encode)
    }

    var key: EntityKey { EntityKey(collection: collection, id: entityId) }
}

extension LastWrite {
    static func read(_ db: Database) throws -> LastWrite? {
        let sql = "SELECT value FROM meta WHERE key = ?"
        guard let text = try String.fetchOne(db, sql: sql, arguments: [name]) else { return nil }
        // Another version of the program may have written another form.
        return try? WireJSON.decode(LastWrite.self, from: Data(text.utf8))
    }

    func store(_ db: Database) throws {
        let text = String(decoding: try WireJSON.encode(self), as: UTF8.self)
        let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
        try statement.execute(arguments: [Self.name, text])
    }

    /// Forgets the write if its row is one of these: a row of a space that the user left leaves no text behind.
    static func forget(where isGone: (EntityKey) throws -> Bool, _ db: Database) throws {
        if let last = try read(db), try isGone(last.key) { try forget(db) }
    }

    static func forget(_ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM meta WHERE key = ?").execute(arguments: [name])
    }
}
