package import ArgumentParser
package import SpacesDomain
import StrataDomain
package import StrataTerminal

/// `space-members list SPACE`, `space-members rm SPACE USER`.
extension SpaceMember: RemovableResource {
    package typealias Tools = Spaces
    package static let listing = "List the members of a space."
    package static let exampleScope = "Platform"
    package static let removal = (name: "rm", abstract: "Remove a member from a space.", result: "removed")
    package static let exampleRemoval = "Platform bob"
    package static let columns: [ListColumn<SpaceMember>] = [
        .init(.init("NAME", isFlexible: true)) { .init($0.username, .bold) },
        .init(.init("ROLE")) { .init($0.role) },
        .init(.time("JOINED")) { .init($0.joinedAt) },
    ]

    package static func empty(_ scope: SpaceArgument) -> String { "There are no members." }

    package static func list(
        _ spaces: Spaces, in scope: SpaceArgument, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [SpaceMember], total: Int?) {
        let members = try await spaces.memberships.members(of: spaces.id(of: scope.space))
        return (members, members.count)
    }

    package static func remove(_ arguments: MemberArguments, _ spaces: Spaces) async throws -> ID {
        let member = try await arguments.member(spaces)
        try await spaces.memberships.remove(member.id, from: member.spaceId)
        return member.id
    }
}

/// `space-invitations list [--space SPACE]`, `space-invitations rm ID`.
extension SpaceInvitation: RemovableResource {
    package typealias Tools = Spaces
    package static let listing = "List the invitations to you, or those to a space."
    package static let removal = (
        name: "rm", abstract: "Decline an invitation, or withdraw one.", result: "removed"
    )
    package static let columns: [ListColumn<SpaceInvitation>] = [
        .init(.init("SPACE", isFlexible: true)) { .init($0.spaceName, .bold) },
        .init(.init("FOR")) { .init($0.username) },
        .init(.init("ROLE")) { .init($0.role) },
        .init(.init("FROM")) { .init($0.invitedBy) },
        .init(.time("UNTIL")) { .init($0.expiresAt) },
    ]

    package static func empty(_ scope: InvitedSpace) -> String { "There are no invitations." }

    package static func list(
        _ spaces: Spaces, in scope: InvitedSpace, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [SpaceInvitation], total: Int?) {
        var space: Space.ID?
        if let text = scope.space { space = try await spaces.id(of: text) }
        let invitations = try await spaces.memberships.invitations(of: space)
        return (invitations, invitations.count)
    }

    package static func remove(_ argument: InvitationArgument, _ spaces: Spaces) async throws -> ID {
        let id = try await spaces.completed(argument.id)
        try await spaces.memberships.delete(id)
        return id
    }
}

/// An invitation to the user, or to another one.
package struct InvitationArgument: ParsableArguments, Sendable {
    @Argument(help: "From 'space-invitations list'; complete for an invitation to another user.")
    package var id: SpaceInvitation.ID

    package init() {}
}

/// Whose invitations are listed.
package struct InvitedSpace: ParsableArguments, Sendable {
    @Option(
        help: "List the invitations to this space instead: its name or id.", completion: .ids(of: Space.collection))
    package var space: String?

    package init() {}
}
