package import FoundationEssentials
package import StrataDomain

/// A user in a space.
package struct SpaceMember: Resource {
    package typealias ID = Identifier<SpaceMember>
    package static let noun = "member"
    package static let path = "space-members"

    /// The id of the user.
    package var id: ID
    package var spaceId: Space.ID
    /// The name of the user when they joined.
    package var username: String
    /// A `MemberRole`, or one that it had.
    package var role: String
    package var joinedAt: Date

    package init(id: ID, spaceId: Space.ID, username: String, role: String, joinedAt: Date) {
        (self.id, self.spaceId, self.username) = (id, spaceId, username)
        (self.role, self.joinedAt) = (role, joinedAt)
    }
}

/// The new role of a member.
package struct MemberChange: Codable, Sendable {
    package var role: MemberRole
    package init(role: MemberRole) { self.role = role }
}
