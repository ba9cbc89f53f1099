import GRDB
public import StrataDomain

extension OfflineDatabase {
    /// The user this database belongs to, as given to `claim`; `nil` while nobody claimed it.
    public func account() async throws(DomainError) -> String? {
        try await read { try Self.account($0) }
    }

    /// Makes `user` the owner of this database, or confirms that it is, so that nobody's writes are sent as another's.
    ///
    /// - Throws: `.conflict` when it belongs to somebody else; it stays theirs.
    public func claim(for user: String) async throws(DomainError) {
        try await write { [path] db in
            if let owner = try Self.account(db) {
                guard owner != user else { return }
                let waiting = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM outbox") ?? 0
                throw DomainError.conflict(
                    "The journal in '\(path)' belongs to user '\(owner)' and has \(waiting) unsent writes; "
                        + "log in as '\(owner)', or use another profile for '\(user)'.")
            }
            try db.execute(sql: "INSERT INTO meta (key, value) VALUES ('account', ?)", arguments: [user])
        }
    }

    private static func account(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'account'")
    }
}
