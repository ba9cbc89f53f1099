import FoundationEssentials
import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataService

extension SpacesService {
    func mountInvitations(on routes: inout APIRoutes) {
        routes.read(ListSentInvitations.self, for: .users) { call, scope, store in
            try require(.read, in: call.id, by: scope.caller(), store)
            return ListPayload(items: try InvitationTable.list(of: call.id, at: scope.now, in: store))
        }
        routes.write(CreateSpaceInvitation.self, for: .users) { call, scope, store in
            try invite(call, scope, in: store)
        }
        routes.read(ListInvitations.self, for: .users) { _, scope, store in
            guard try scope.caller().may(.read, MemberRole.members) else { return ListPayload(items: []) }
            return ListPayload(items: try InvitationTable.list(to: scope.user().username, at: scope.now, in: store))
        }
        routes.write(AcceptInvitation.self, for: .users) { call, scope, store in
            let user = try scope.user()
            try scope.caller().require(.create, MemberRole.members)
            let invitation = try InvitationTable.invitation(call.id, at: scope.now, in: store)
            guard let invitation, invitation.username == user.username else {
                throw ServiceError.notFound(SpaceInvitation.noun, call.id.rawValue)
            }
            try MemberTable.insert(
                user, into: invitation.spaceId, as: invitation.role, at: scope.now, in: store)
            try InvitationTable.delete(invitation.id, in: store)
            return try MemberTable.require(SpaceMember.ID(user.id), of: invitation.spaceId, in: store)
        }
        routes.write(DeleteInvitation.self, for: .users) { call, scope, store in
            let caller = try scope.caller()
            guard let invitation = try InvitationTable.invitation(call.id, at: scope.now, in: store) else {
                throw ServiceError.notFound(SpaceInvitation.noun, call.id.rawValue)
            }
            if invitation.username != (try scope.user().username) {
                let owner = RowOwner(space: invitation.spaceId.rawValue)
                guard try members.allows(.read, owner, by: caller, in: store) else {
                    throw ServiceError.notFound(SpaceInvitation.noun, call.id.rawValue)
                }
                try members.require(.delete, owner, by: caller, in: store)
            }
            try InvitationTable.delete(invitation.id, in: store)
            return NoContent()
        }
    }

    /// The invited user is not looked up: who invites does not learn which names there are.
    private func invite(
        _ call: CreateSpaceInvitation, _ scope: RequestScope, in store: any StoreTransaction
    ) throws -> SpaceInvitation {
        let caller = try scope.caller()
        try require(.create, in: call.id, by: caller, store)
        let draft = try ServiceError.accepting(call.draft.validated)
        // A role that may invite and give no roles invites no administrator.
        if draft.role.isAdministrator { try require(.update, in: call.id, by: caller, store) }
        let members = try MemberTable.members(of: call.id, in: store)
        let waiting = try InvitationTable.list(of: call.id, at: scope.now, in: store)
        guard !members.contains(where: { $0.username == draft.username }) else {
            throw ServiceError.conflict(
                code: "already_member", "'\(draft.username)' is a member already; change the role of the member.")
        }
        guard members.count + waiting.count < MemberTable.limit else {
            throw ServiceError.conflict(
                code: "too_many_members",
                "The space has \(MemberTable.limit) members and invitations; remove one that is not needed.")
        }
        let id = SpaceInvitation.ID(UUIDv7.string(at: scope.now))
        try InvitationTable.insert(
            SpaceInvitation(
                id: id, spaceId: call.id, spaceName: "", username: draft.username, role: draft.role.rawValue,
                invitedBy: caller.name, expiresAt: scope.now.addingTimeInterval(InvitationTable.lifetime)), in: store)
        guard let invitation = try InvitationTable.invitation(id, at: scope.now, in: store) else {
            throw ServiceError.notFound(Space.noun, call.id.rawValue)
        }
        return invitation
    }
}
