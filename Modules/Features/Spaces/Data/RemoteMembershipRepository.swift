import SpacesAPI
package import SpacesDomain
package import StrataDomain
import StrataSystem

/// Members and invitations at the server. Here network errors become errors of the domain.
package struct RemoteMembershipRepository: MembershipRepository {
    private let client: any APIClient

    package init(client: any APIClient) { self.client = client }

    package func members(of space: Space.ID) async throws(DomainError) -> [SpaceMember] {
        try await send(ListSpaceMembers(id: space)).items
    }

    package func change(
        _ member: SpaceMember.ID, of space: Space.ID, to role: MemberRole
    ) async throws(DomainError) -> SpaceMember {
        try await send(ChangeSpaceMember(id: space, member: member, to: role))
    }

    package func remove(_ member: SpaceMember.ID, from space: Space.ID) async throws(DomainError) {
        _ = try await send(RemoveSpaceMember(id: space, member: member))
    }

    package func leave(_ space: Space.ID) async throws(DomainError) { _ = try await send(LeaveSpace(id: space)) }

    package func invitations(of space: Space.ID?) async throws(DomainError) -> [SpaceInvitation] {
        guard let space else { return try await send(ListInvitations()).items }
        return try await send(ListSentInvitations(id: space)).items
    }

    package func invite(_ draft: InvitationDraft, to space: Space.ID) async throws(DomainError) -> SpaceInvitation {
        try await send(CreateSpaceInvitation(id: space, draft))
    }

    package func accept(_ invitation: SpaceInvitation.ID) async throws(DomainError) -> SpaceMember {
        try await send(AcceptInvitation(id: invitation))
    }

    package func delete(_ invitation: SpaceInvitation.ID) async throws(DomainError) {
        _ = try await send(DeleteInvitation(id: invitation))
    }

    private func send<Call: Endpoint>(_ call: Call) async throws(DomainError) -> Call.Response {
        do throws(NetworkError) { return try await client.send(call) } catch {
            let said = error.problem?.detail
            switch error.kind {
            case .unauthorized: throw .unauthorized("Not logged in; run '\(ProgramName.current) login'.")
            case .notFound:
                throw .notFound(
                    "\(said ?? "It does not exist.") '\(ProgramName.current) spaces list' and "
                        + "'\(ProgramName.current) space-invitations list' show what there is.")
            case .forbidden: throw .forbidden(said ?? "Your role in the space does not allow that.")
            case .conflict: throw .conflict(said ?? error.sentence(""))
            default: throw DomainError(error)
            }
        }
    }
}
