import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of users.
enum UserTable {
    static let migration = StoreMigration(
        "accounts-1-users",
        """
        CREATE TABLE app_user (
            id TEXT NOT NULL PRIMARY KEY, username TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
            password_hash TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)
        """
    )

    private static let columns: Statement = "id, username, role, email, created_at, updated_at"

    static func user(_ id: User.ID, in store: any StoreReader) throws -> User? {
        try store.row("SELECT \(columns) FROM app_user WHERE id = \(id.rawValue)").map(User.init)
    }

    /// The user with an id, while a session of theirs is active.
    static func user(_ id: User.ID, inSession session: String, in store: any StoreReader) throws -> User? {
        try store.row(query(id, inSession: session)).map(User.init)
    }

    /// Passes the user with an id to `check`, or `nil` when their session is not active.
    static func condition(
        _ id: User.ID, inSession session: String, _ check: @escaping @Sendable (User?) throws -> Void
    ) -> ReadCondition {
        ReadCondition(query(id, inSession: session)) { row in try check(row.map(User.init)) }
    }

    private static func query(_ id: User.ID, inSession session: String) -> Statement {
        """
        SELECT \(columns) FROM app_user
        WHERE id = \(id.rawValue) AND \(Sessions.isActive(session, of: id.rawValue))
        """
    }

    /// The user with an id.
    ///
    /// - Throws: 404.
    static func existing(_ id: User.ID, in store: any StoreReader) throws -> User {
        guard let user = try user(id, in: store) else { throw ServiceError.notFound("user", id.rawValue) }
        return user
    }

    /// The user with a name, and the hash of the password.
    static func credentials(of username: String, in store: any StoreReader) throws -> (user: User, hash: String)? {
        try store.row("SELECT \(columns), password_hash FROM app_user WHERE username = \(username)").map {
            (try User($0), try $0.text("password_hash"))
        }
    }

    /// All users by name.
    static func all(in store: any StoreReader) throws -> [User] {
        try store.rows("SELECT \(columns) FROM app_user ORDER BY username").map(User.init)
    }

    /// One page by name, and the number of users on all pages.
    static func page(offset: Int, limit: Int, in store: any StoreReader) throws -> (users: [User], total: Int) {
        let total = try store.row("SELECT COUNT(*) AS total FROM app_user")?.int("total") ?? 0
        let rows = try store.rows(
            "SELECT \(columns) FROM app_user ORDER BY username LIMIT \(limit) OFFSET \(offset)")
        return (try rows.map(User.init), total)
    }

    /// - Throws: 409 for a taken name.
    static func insert(_ user: User, hash: String, in transaction: any StoreTransaction) throws {
        try refusingTakenName(user.username) {
            try transaction.execute(
                """
                INSERT INTO app_user (id, username, role, email, password_hash, created_at, updated_at)
                VALUES (\(user.id.rawValue), \(user.username), \(user.role.rawValue), \(user.email), \(hash),
                    \(user.createdAt), \(user.updatedAt))
                """)
        }
    }

    /// Changes an account. A link of a reset that was mailed before is void then.
    ///
    /// - Parameter hash: `nil` keeps the password.
    /// - Throws: 409 for a taken name.
    static func update(_ user: User, hash: String?, in transaction: any StoreTransaction) throws {
        let password: Statement = hash.map { ", password_hash = \($0)" } ?? ""
        try refusingTakenName(user.username) {
            try transaction.execute(
                """
                UPDATE app_user SET username = \(user.username), role = \(user.role.rawValue), email = \(user.email),
                    updated_at = \(user.updatedAt) \(password)
                WHERE id = \(user.id.rawValue)
                """)
        }
        try PasswordResetTable.void(of: user.id, in: transaction)
    }

    /// Replaces the hash `old` with `new`, unless the password has changed.
    static func upgradeHash(
        of id: User.ID, from old: String, to new: String, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            "UPDATE app_user SET password_hash = \(new) WHERE id = \(id.rawValue) AND password_hash = \(old)")
    }

    static func delete(_ id: User.ID, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM app_user WHERE id = \(id.rawValue)")
        try PasswordResetTable.void(of: id, in: transaction)
    }

    /// Whether another user than `id` is an administrator.
    static func hasAdmin(besides id: User.ID, in store: any StoreReader) throws -> Bool {
        try store.row(
            "SELECT id FROM app_user WHERE role = \(Role.admin.rawValue) AND id <> \(id.rawValue) LIMIT 1") != nil
    }

    private static func refusingTakenName(_ username: String, _ body: () throws -> Int) throws {
        do { _ = try body() } catch StoreError.constraint {
            throw ServiceError.conflict(
                code: "username_taken", "The username '\(username)' is taken; choose another one.")
        }
    }
}

extension User {
    fileprivate init(_ row: StoreRow) throws {
        self.init(
            id: ID(try row.text("id")), username: try row.text("username"), role: Role(rawValue: try row.text("role")),
            email: try row.textIfAny("email"), createdAt: try row.date("created_at"),
            updatedAt: try row.date("updated_at"))
    }
}
