package import FoundationEssentials
import SpacesDomain
import StrataDomain
package import StrataService

/// The backend part of spaces: their table and six endpoints, their members and invitations, and the rule of visibility for all
/// entities that belong to a space.
package struct SpacesService: FeatureService {
    private let table = EntityTable<Space>(
        hooks: EntityHooks(beforeWrite: { write, transaction in
            guard write.old == nil else { return }
            try Self.begin(write, in: transaction)
        }))
    /// Who may do what with members and invitations.
    let members = Visibility(.space, of: MemberRole.members, in: Memberships())

    package init() {}

    package var migrations: [StoreMigration] {
        table.migrations + [MemberTable.migration, InvitationTable.migration]
    }
    package var syncedCollections: [any SyncedCollection] { [table] }
    package var spaces: (any SpaceDirectory)? { Memberships() }

    package func mount(on routes: inout APIRoutes) {
        table.mount(on: &routes)
        mountMembers(on: &routes)
        mountInvitations(on: &routes)
    }

    package func maintain(_ store: any Store, at now: Date) async throws {
        try await store.write { transaction in try InvitationTable.deleteExpired(at: now, in: transaction) }
    }

    /// The user who creates a space is its first administrator.
    private static func begin(_ write: EntityHooks<Space>.Write, in transaction: any StoreTransaction) throws {
        guard case .user(let user) = write.caller, let role = MemberRole.allCases.first(where: \.isAdministrator) else {
            throw ServiceError.forbidden("Spaces are for users; log in as one.")
        }
        try MemberTable.insert(user, into: write.id, as: role.rawValue, at: write.now, in: transaction)
    }

    /// - Throws: 404 for a space that `caller` does not see; 403.
    func require(
        _ action: RowAction, in space: Space.ID, by caller: Principal, _ store: any StoreReader
    ) throws {
        let owner = RowOwner(space: space.rawValue)
        guard try members.allows(.read, owner, by: caller, in: store) else {
            throw ServiceError.notFound(Space.noun, space.rawValue)
        }
        try members.require(action, owner, by: caller, in: store)
    }
}
