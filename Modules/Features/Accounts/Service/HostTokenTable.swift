import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of host tokens. It stores only the digest of a key.
enum HostTokenTable {
    static let migration = StoreMigration(
        "accounts-2-host-tokens",
        """
        CREATE TABLE host_token (
            id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE,
            created_at BIGINT NOT NULL, last_used_at BIGINT)
        """
    )

    private static let selection: Statement = "SELECT id, name, created_at, last_used_at FROM host_token"

    static func list(in store: any StoreReader) throws -> [HostToken] {
        try store.rows("\(selection) ORDER BY name, id LIMIT 1000").map(HostToken.init)
    }

    static func count(in store: any StoreReader) throws -> Int {
        try store.row("SELECT COUNT(*) AS total FROM host_token")?.int("total") ?? 0
    }

    /// The token with the digest of a key.
    static func token(keyHash: String, in store: any StoreReader) throws -> HostToken? {
        try store.row("\(selection) WHERE key_hash = \(keyHash)").map(HostToken.init)
    }

    static func insert(_ token: HostToken, keyHash: String, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO host_token (id, name, key_hash, created_at)
            VALUES (\(token.id.rawValue), \(token.name), \(keyHash), \(token.createdAt))
            """)
    }

    /// Of requests at the same time, one writes.
    static func touch(_ id: HostToken.ID, at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            UPDATE host_token SET last_used_at = \(now)
            WHERE id = \(id.rawValue) AND (last_used_at IS NULL OR ABS(last_used_at - \(now)) >= 60000)
            """)
    }

    /// - Returns: Whether there was such a token.
    static func delete(_ id: HostToken.ID, in transaction: any StoreTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM host_token WHERE id = \(id.rawValue)") > 0
    }
}

extension HostToken {
    fileprivate init(_ row: StoreRow) throws {
        self.init(
            id: ID(try row.text("id")), name: try row.text("name"), createdAt: try row.date("created_at"),
            lastUsedAt: try row.dateIfAny("last_used_at"))
    }
}
