import FoundationEssentials
import GRDB
import StrataDomain

/// The last write, as it stands in `meta`: what undoing it needs. It is the only one, whether it was made here or at the server.
struct LastWrite: Codable, Sendable {
    var collection: String
    var entityId: String
    /// The row before and after; `nil` for none.
    var before: String?
    var after: String?
    /// Whether it deleted a row that the server never had.
    var isWithoutTrace = false
    /// Why the store cannot undo it; `nil` if it can.
    var obstacle: String?
    /// Of a write that went straight to the server.
    var online: AccountWrite?

    private static let name = "last-write"

    /// - Throws: For rows that are no JSON.
    init(_ key: EntityKey, before: [String: JSONValue]?, after: [String: JSONValue]?) throws {
        (collection, entityId) = (key.collection, key.id)
        self.before = try before.map(FieldText.encode)
        self.after = try after.map(FieldText.encode)
    }

    /// An import, which is not undone.
    init(importOf rows: Int, into collection: String) {
        (self.collection, entityId) = (collection, "")
        obstacle = "The last write was an import of \(rows) rows; 'undo' takes back a single write."
    }

    /// The store itself cannot undo it, nor can an earlier version of the program.
    init(_ online: AccountWrite) {
        (collection, entityId) = (online.write.collection, online.write.entityId)
        self.online = online
        let reason = online.write.isImport ? "'undo' takes back a single write" : "it cannot be undone here"
        obstacle = "The last write was \(online.write.name), straight at the server; \(reason)."
    }

    var key: EntityKey { EntityKey(collection: collection, id: entityId) }
}

/// A write that went straight to the server, and who made it.
struct AccountWrite: Codable, Sendable {
    var write: OnlineWrite
    /// The origin of the server.
    var server: String
    /// The id of the account there; `nil` without a login.
    var account: String?
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
