package import ArgumentParser
package import SpacesDomain
import StrataDomain
package import StrataTerminal

/// `space-members list SPACE`.
extension SpaceMember: ListedResource {
    package typealias Tools = Spaces
    package static let listing = "List the members of a space."
    package static let exampleScope = "Platform"
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
}

/// `space-invitations list [--space SPACE]`.
extension SpaceInvitation: ListedResource {
    package typealias Tools = Spaces
    package static let listing = "List the invitations to you, or those to a space."
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
}

/// Whose invitations are listed.
package struct InvitedSpace: ParsableArguments, Sendable {
    @Option(
        help: "List the invitations to this space instead: its name or id.", completion: .ids(of: Space.collection))
    package var space: String?

    package init() {}
}
