import FoundationEssentials
import SpacesDomain
import StrataDomain
import StrataService

/// The table of members. Deleting a space deletes its members and invitations in the same transaction.
enum MemberTable {
    static let migration = StoreMigration(
        "spaces-members-1", after: ["\(Space.collection)-1"],
        // The first member is stored before its space, in the same transaction.
        """
        CREATE TABLE space_member (
            space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            user_id TEXT NOT NULL, username TEXT NOT NULL, role TEXT NOT NULL, joined_at BIGINT NOT NULL,
            PRIMARY KEY (space_id, user_id))
        """,
        "CREATE INDEX space_member_by_user ON space_member (user_id, role, space_id)"
    )

    /// Most spaces of a user, and most members and invitations of a space.
    static let limit = 1000

    private static let selection: Statement = "SELECT user_id, space_id, username, role, joined_at FROM space_member"

    static func members(of space: Space.ID, in store: any StoreReader) throws -> [SpaceMember] {
        try store.rows("\(selection) WHERE space_id = \(space.rawValue) ORDER BY username, user_id LIMIT \(limit)")
            .map(SpaceMember.init)
    }

    /// - Throws: 404.
    static func require(
        _ member: SpaceMember.ID, of space: Space.ID, in store: any StoreReader
    ) throws -> SpaceMember {
        let row = try store.row(
            "\(selection) WHERE space_id = \(space.rawValue) AND user_id = \(member.rawValue)")
        guard let row else { throw ServiceError.notFound(SpaceMember.noun, member.rawValue) }
        return try SpaceMember(row)
    }

    /// A user who is a member already stays what they are.
    ///
    /// - Throws: 409 `too_many_spaces`.
    static func insert(
        _ user: Principal.User, into space: Space.ID, as role: String, at now: Date,
        in transaction: any StoreTransaction
    ) throws {
        let spaces = try transaction.row("SELECT COUNT(*) AS count FROM space_member WHERE user_id = \(user.id)")
        guard try (spaces?.int("count") ?? 0) < limit else {
            throw ServiceError.conflict(
                code: "too_many_spaces", "You are in \(limit) spaces already; leave one that you do not need.")
        }
        try transaction.execute(
            """
            INSERT INTO space_member (space_id, user_id, username, role, joined_at)
            VALUES (\(space.rawValue), \(user.id), \(user.username), \(role), \(now))
            ON CONFLICT (space_id, user_id) DO NOTHING
            """)
    }

    static func change(
        _ member: SpaceMember.ID, of space: Space.ID, to role: MemberRole, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            UPDATE space_member SET role = \(role.rawValue)
            WHERE space_id = \(space.rawValue) AND user_id = \(member.rawValue)
            """)
    }

    static func delete(
        _ member: SpaceMember.ID, of space: Space.ID, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            "DELETE FROM space_member WHERE space_id = \(space.rawValue) AND user_id = \(member.rawValue)")
    }

    /// - Throws: 409 `last_administrator`, when a change has left the space without one.
    static func requireAdministrator(of space: Space.ID, in store: any StoreReader) throws {
        let roles = MemberRole.allCases.filter(\.isAdministrator).map(\.rawValue)
        let row = try store.row(
            """
            SELECT user_id FROM space_member WHERE space_id = \(space.rawValue) AND role IN (\(list: roles)) LIMIT 1
            """)
        guard row == nil else { return }
        throw ServiceError.conflict(
            code: "last_administrator",
            "The space would be without an administrator; give another member this role first, or delete the space.")
    }
}

extension SpaceMember {
    fileprivate init(_ row: StoreRow) throws {
        self.init(
            id: ID(try row.text("user_id")), spaceId: Space.ID(try row.text("space_id")),
            username: try row.text("username"), role: try row.text("role"), joinedAt: try row.date("joined_at"))
    }
}
