import GRDB
import StrataDomain

/// Rows that this version of the program cannot show as they are: a field has a value that it does not know. Their names stand
/// in `meta`, so that they are told, and shown once they can be.
extension EntityAccess {
    private static let prefix = "hidden/"
    /// All keys with the prefix; `0` is the character after `/`.
    private static let range = "key >= 'hidden/' AND key < 'hidden0'"

    func hide(_ key: EntityKey, because reason: String) throws {
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
        try tables.db.execute(sql: sql, arguments: ["\(Self.prefix)\(key.collection)/\(key.id)", reason])
    }

    static func hiddenCount(_ db: Database) throws -> Int {
        let sql = "SELECT COUNT(*) FROM meta WHERE \(range)"
        return try Int.fetchOne(db.cachedStatement(sql: sql)) ?? 0
    }

    static func hidden(_ db: Database) throws -> [EntityKey] {
        try String.fetchAll(db, sql: "SELECT key FROM meta WHERE \(range) ORDER BY key").map { key in
            let rest = key.dropFirst(prefix.count)
            let collection = rest.prefix { $0 != "/" }
            return EntityKey(collection: String(collection), id: String(rest.dropFirst(collection.count + 1)))
        }
    }

    /// Shows the hidden rows that this version can show now.
    func showHidden() throws {
        for key in try Self.hidden(tables.db) {
            try tables.db.execute(
                sql: "DELETE FROM meta WHERE key = ?", arguments: ["\(Self.prefix)\(key.collection)/\(key.id)"])
            guard let collection = collections[key.collection] else { continue }
            _ = try isShown(key, in: collection)
        }
    }
}
