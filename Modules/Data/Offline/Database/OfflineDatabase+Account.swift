import FoundationEssentials
import GRDB
import StrataConcurrency
public import StrataDomain

/// The account whose entries a database holds.
public struct OfflineAccount: Sendable, Hashable {
    /// The account on the server, which never changes.
    public var id: String
    /// The name of the user; the id when the name is unknown.
    public var name: String

    /// An account; `name` is what people know it by.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

extension OfflineDatabase {
    /// The account this database belongs to; `nil` before the first claim.
    public func owner() async throws(DomainError) -> OfflineAccount? {
        try await read { try Self.owner($0) }
    }

    /// Makes `account` the owner of this database, or confirms that it is: entries are sent only under the account that wrote
    /// them. From then on this process writes for `account` only.
    ///
    /// A database of another account with an empty outbox is emptied and then belongs to `account`: the server has its rows.
    ///
    /// - Returns: The account whose entries were removed; `nil` when none were.
    /// - Throws: `.forbidden` when it holds unsent writes of another account; it stays as it is.
    @discardableResult
    public func claim(for account: OfflineAccount) async throws(DomainError) -> OfflineAccount? {
        let owner = try await self.owner()
        let isForeign = owner != nil && owner?.id != account.id
        if owner == account || !isForeign && obstacle != nil {
            claimant.withLock { $0 = account.id }
            return nil
        }
        let previous = try await write { [path, collections] db in
            let owner = try Self.owner(db)
            if let owner, owner.id != account.id {
                let waiting = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM outbox") ?? 0
                guard waiting == 0 else { throw Self.foreign(owner, waiting, account, path) }
                let last = try LastWrite.read(db)
                try Self.empty(db, collections.values.map(\.table))
                if let last, last.online?.account == account.id { try last.store(db) }
            }
            let note = "INSERT OR REPLACE INTO meta (key, value) VALUES ('account', ?), ('account-name', ?)"
            try db.execute(sql: note, arguments: [account.id, account.name])
            return owner?.id == account.id ? nil : owner
        }
        claimant.withLock { $0 = account.id }
        return previous
    }

    private static func foreign(
        _ owner: OfflineAccount, _ waiting: Int, _ account: OfflineAccount, _ path: String
    ) -> DomainError {
        let writes = waiting == 1 ? "1 write that is not sent yet" : "\(waiting) writes that are not sent yet"
        return .forbidden(
            "The offline store '\(path)' belongs to '\(owner.name)' and holds \(writes); they are safe. Log in as "
                + "'\(owner.name)' and synchronise to send them, or use another profile for '\(account.name)'.")
    }

    /// Deletes all rows, and the id of this database at the server.
    private static func empty(_ db: Database, _ tables: [String]) throws {
        for table in tables + ["base_row", "deferred_row", "conflict", "seen", "meta", "remote_row", "remote_place"] {
            try db.execute(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)")
        }
        try db.execute(
            sql: """
                UPDATE cursor SET cursor = NULL, collections = '', page = NULL, replacing = 0, last_synced_at = NULL;
                DELETE FROM client;
                """)
        try EngineSchema.prepare(db)
    }

    private static func owner(_ db: Database) throws -> OfflineAccount? {
        let sql = """
            SELECT value, (SELECT value FROM meta WHERE key = 'account-name') FROM meta WHERE key = 'account'
            """
        return try Row.fetchOne(db, sql: sql).map { OfflineAccount(id: $0[0], name: $0[1] ?? $0[0]) }
    }
}
