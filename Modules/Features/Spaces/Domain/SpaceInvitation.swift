package import FoundationEssentials
package import StrataDomain

/// The offer of a place in a space to the user with a name.
package struct SpaceInvitation: Resource {
    package typealias ID = Identifier<SpaceInvitation>
    package static let noun = "invitation"
    package static let path = "space-invitations"

    package var id: ID
    package var spaceId: Space.ID
    package var spaceName: String
    /// Who may accept it.
    package var username: String
    package var role: String
    /// The name of the member who invites.
    package var invitedBy: String
    package var expiresAt: Date

    package init(
        id: ID, spaceId: Space.ID, spaceName: String, username: String, role: String, invitedBy: String, expiresAt: Date
    ) {
        (self.id, self.spaceId, self.spaceName, self.username) = (id, spaceId, spaceName, username)
        (self.role, self.invitedBy, self.expiresAt) = (role, invitedBy, expiresAt)
    }
}

/// Whom to invite, and as what.
package struct InvitationDraft: Codable, Sendable {
    package var username: String
    package var role: MemberRole

    package init(username: String, role: MemberRole) { (self.username, self.role) = (username, role) }

    /// - Throws: `.validation` naming the field.
    package func validated() throws(DomainError) -> InvitationDraft {
        var check = FieldCheck()
        check.word("username", username, bytes: 1...64)
        try check.orThrow("The invitation was not accepted.")
        return self
    }
}

extension InvitationDraft: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["username"] = .text(bytes: 1...64, pattern: #"^[^\u0000-\u0020\u007F]*$"#)
        return schema
    }
}
