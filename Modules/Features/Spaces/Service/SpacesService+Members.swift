import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataService

extension SpacesService {
    func mountMembers(on routes: inout APIRoutes) {
        routes.read(ListSpaceMembers.self, for: .users) { call, scope, store in
            try require(.read, in: call.id, by: scope.caller(), store)
            return ListPayload(items: try MemberTable.members(of: call.id, in: store))
        }
        routes.write(ChangeSpaceMember.self, for: .users) { call, scope, store in
            try require(.update, in: call.id, by: scope.caller(), store)
            _ = try MemberTable.require(call.member, of: call.id, in: store)
            try MemberTable.change(call.member, of: call.id, to: call.change.role, in: store)
            try MemberTable.requireAdministrator(of: call.id, in: store)
            return try MemberTable.require(call.member, of: call.id, in: store)
        }
        routes.write(RemoveSpaceMember.self, for: .users) { call, scope, store in
            try require(.delete, in: call.id, by: scope.caller(), store)
            let member = try MemberTable.require(call.member, of: call.id, in: store)
            // A role that may remove members and give no roles removes no administrator.
            if MemberRole(rawValue: member.role)?.isAdministrator == true {
                try require(.update, in: call.id, by: scope.caller(), store)
            }
            try MemberTable.delete(call.member, of: call.id, in: store)
            try MemberTable.requireAdministrator(of: call.id, in: store)
            return NoContent()
        }
        routes.write(LeaveSpace.self, for: .users) { call, scope, store in
            let member = SpaceMember.ID(try scope.user().id)
            do { _ = try MemberTable.require(member, of: call.id, in: store) } catch is ServiceError {
                throw ServiceError.notFound(Space.noun, call.id.rawValue)
            }
            try MemberTable.delete(member, of: call.id, in: store)
            try MemberTable.requireAdministrator(of: call.id, in: store)
            return NoContent()
        }
    }
}
