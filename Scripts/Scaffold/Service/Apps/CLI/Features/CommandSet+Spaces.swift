import SpacesData
import SpacesDomain
import SpacesPresentation
import StrataCaching
import StrataClientProgram
import StrataDomain
import StrataTerminal

extension CommandSet {
    /// Spaces themselves work without the server; members and invitations are asked for there.
    static let spaces = CommandSet(
        [SpacesGroup.self, SpaceMembersGroup.self, SpaceInvitationsGroup.self],
        related: [
            Space.collection: { wiring, local in
                RelatedEntities { () throws(DomainError) in try await wiring.spaceList(local) }
            }
        ]
    ) { command, wiring, console in
        if command.takes(Spaces.self) {
            try await command.run(with: wiring.spaces, console)
        } else {
            try await command.run(with: wiring.spaceList(nil), console)
        }
    }
}

extension Wiring {
    fileprivate var spaces: Spaces {
        let reader = caches.reader
        return Spaces(
            RemoteMembershipRepository(client: network.session),
            known: RelatedEntities { () throws(DomainError) in try await spaceList(nil) },
            // Stored responses may be of the space.
            left: { await reader.invalidateAll() })
    }

    fileprivate func spaceList(_ local: LocalData?) async throws(DomainError) -> EntityUseCases<Space> {
        let local = if let local { local } else { try await offline() }
        return EntityUseCases(repository(Space.self, local), upkeep: upkeep(Space.self, local), related: related(local))
    }
}
