import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of links from users of an OpenID provider to accounts. An account may have several.
enum OpenIDLinkTable {
    static let migration = StoreMigration(
        "accounts-7-openid-links",
        """
        CREATE TABLE openid_link (
            issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL, created_at BIGINT NOT NULL,
            PRIMARY KEY (issuer, subject))
        """,
        "CREATE INDEX openid_link_user ON openid_link (user_id)"
    )

    /// The account of an identity.
    static func user(_ identity: OpenIDIdentity, in store: any StoreReader) throws -> User? {
        let row = try store.row(
            """
            SELECT user_id FROM openid_link
            WHERE issuer = \(identity.issuer) AND subject = \(identity.subject)
            """)
        return try row.flatMap { try UserTable.user(User.ID($0.text("user_id")), in: store) }
    }

    /// Whether a user of the issuer is linked to an account.
    static func isLinked(_ id: User.ID, at issuer: String, in store: any StoreReader) throws -> Bool {
        try store.row("SELECT 1 FROM openid_link WHERE user_id = \(id.rawValue) AND issuer = \(issuer) LIMIT 1") != nil
    }

    /// Links an identity to an account; a link that it had is gone.
    static func replace(
        _ identity: OpenIDIdentity, with id: User.ID, at now: Date, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO openid_link (issuer, subject, user_id, created_at)
            VALUES (\(identity.issuer), \(identity.subject), \(id.rawValue), \(now))
            ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id, created_at = excluded.created_at
            """)
    }

    /// Removes the links of an account.
    ///
    /// - Returns: How many there were.
    @discardableResult
    static func deleteAll(of id: User.ID, in transaction: any StoreTransaction) throws -> Int {
        try transaction.execute("DELETE FROM openid_link WHERE user_id = \(id.rawValue)")
    }
}
