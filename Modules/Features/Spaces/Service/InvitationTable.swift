import FoundationEssentials
import SpacesDomain
import StrataDomain
import StrataService

/// The table of invitations, one for each space and name.
enum InvitationTable {
    static let migration = StoreMigration(
        "spaces-invitations-1", after: ["\(Space.collection)-1"],
        """
        CREATE TABLE space_invitation (
            id TEXT NOT NULL PRIMARY KEY, space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
            username TEXT NOT NULL, role TEXT NOT NULL, invited_by TEXT NOT NULL, expires_at BIGINT NOT NULL,
            UNIQUE (space_id, username))
        """,
        "CREATE INDEX space_invitation_by_username ON space_invitation (username, expires_at)"
    )

    /// How long an invitation can be accepted: 14 days.
    static let lifetime: TimeInterval = 14 * 86_400

    private static let selection: Statement = """
        SELECT i.id AS id, i.space_id AS space_id, s.name AS space_name, i.username AS username, i.role AS role,
            i.invited_by AS invited_by, i.expires_at AS expires_at
        FROM space_invitation i JOIN spaces s ON s.id = i.space_id
        """

    static func list(of space: Space.ID, at now: Date, in store: any StoreReader) throws -> [SpaceInvitation] {
        try list("i.space_id = \(space.rawValue)", at: now, in: store)
    }

    static func list(to username: String, at now: Date, in store: any StoreReader) throws -> [SpaceInvitation] {
        try list("i.username = \(username)", at: now, in: store)
    }

    private static func list(
        _ condition: Statement, at now: Date, in store: any StoreReader
    ) throws -> [SpaceInvitation] {
        try store.rows(
            """
            \(selection) WHERE \(condition) AND i.expires_at > \(now) ORDER BY i.expires_at, i.id
            LIMIT \(MemberTable.limit)
            """
        ).map(SpaceInvitation.init)
    }

    /// - Returns: `nil` for one that expired.
    static func invitation(
        _ id: SpaceInvitation.ID, at now: Date, in store: any StoreReader
    ) throws -> SpaceInvitation? {
        try store.row("\(selection) WHERE i.id = \(id.rawValue) AND i.expires_at > \(now)").map(SpaceInvitation.init)
    }

    static func insert(_ invitation: SpaceInvitation, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO space_invitation (id, space_id, username, role, invited_by, expires_at)
            VALUES (\(invitation.id.rawValue), \(invitation.spaceId.rawValue), \(invitation.username),
                \(invitation.role), \(invitation.invitedBy), \(invitation.expiresAt))
            ON CONFLICT (space_id, username) DO UPDATE SET id = excluded.id, role = excluded.role,
                invited_by = excluded.invited_by, expires_at = excluded.expires_at
            """)
    }

    static func delete(_ id: SpaceInvitation.ID, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM space_invitation WHERE id = \(id.rawValue)")
    }

    static func deleteExpired(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM space_invitation WHERE expires_at <= \(now)")
    }
}

extension SpaceInvitation {
    fileprivate init(_ row: StoreRow) throws {
        self.init(
            id: ID(try row.text("id")), spaceId: Space.ID(try row.text("space_id")),
            spaceName: try row.text("space_name"), username: try row.text("username"), role: try row.text("role"),
            invitedBy: try row.text("invited_by"), expiresAt: try row.date("expires_at"))
    }
}
