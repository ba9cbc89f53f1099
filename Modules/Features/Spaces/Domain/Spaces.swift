package import StrataDomain

/// The use cases of memberships. Spaces themselves are an entity.
package struct Spaces: Sendable {
    package let memberships: any MembershipRepository
    /// The spaces that this machine knows, to name one.
    package let known: RelatedEntities
    /// Called after a membership ended: what responses of the server are stored may be of the space.
    private let left: @Sendable () async -> Void

    package init(
        _ memberships: any MembershipRepository, known: RelatedEntities, left: @escaping @Sendable () async -> Void
    ) {
        (self.memberships, self.known, self.left) = (memberships, known, left)
    }

    /// - Throws: `.conflict` for the last administrator.
    package func leave(_ space: Space.ID) async throws(DomainError) {
        try await memberships.leave(space)
        await left()
    }

    /// - Throws: `.validation` naming the field, before the request is sent.
    package func invite(
        _ username: String, to space: Space.ID, as role: MemberRole
    ) async throws(DomainError) -> SpaceInvitation {
        try await memberships.invite(InvitationDraft(username: username, role: role).validated(), to: space)
    }

    /// The member with a name.
    ///
    /// - Throws: `.notFound`.
    package func member(_ username: String, of space: Space.ID) async throws(DomainError) -> SpaceMember {
        let members = try await memberships.members(of: space)
        guard let member = members.first(where: { $0.username == username || $0.id.rawValue == username }) else {
            throw .notFound("'\(username)' is no member of the space; 'space-members list' shows those there are.")
        }
        return member
    }
}

/// Members and invitations, at the server.
package protocol MembershipRepository: Sendable {
    func members(of space: Space.ID) async throws(DomainError) -> [SpaceMember]
    func change(
        _ member: SpaceMember.ID, of space: Space.ID, to role: MemberRole
    ) async throws(DomainError) -> SpaceMember
    func remove(_ member: SpaceMember.ID, from space: Space.ID) async throws(DomainError)
    func leave(_ space: Space.ID) async throws(DomainError)
    /// - Parameter space: Whose invitations; `nil` for those of the user.
    func invitations(of space: Space.ID?) async throws(DomainError) -> [SpaceInvitation]
    func invite(_ draft: InvitationDraft, to space: Space.ID) async throws(DomainError) -> SpaceInvitation
    func accept(_ invitation: SpaceInvitation.ID) async throws(DomainError) -> SpaceMember
    /// Declines or withdraws it.
    func delete(_ invitation: SpaceInvitation.ID) async throws(DomainError)
}
