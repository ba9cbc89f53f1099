package import ArgumentParser
package import SpacesDomain
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `space-invitations create SPACE USER [--role R]`.
package struct InvitationCreateCommand: ConsoleCommand {
    package static let configuration = CommandConfiguration(
        "create", "Invite a user to a space, for 14 days.",
        example: "space-invitations create Platform bob --role editor")

    @OptionGroup package var argument: SpaceArgument
    @Argument(help: "The name of the user; the server does not tell whether there is one.")
    package var user: String
    @Option(help: "The role of the new member.")
    package var role: MemberRole
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let space = try await spaces.id(of: argument.space)
        try console.show(try await spaces.invite(user, to: space, as: role))
    }
}

/// `space-invitations accept ID`.
package struct InvitationAcceptCommand: ConsoleCommand {
    package static let configuration = CommandConfiguration(
        "accept", "Join the space of an invitation.", example: "space-invitations accept 9f2c41d")

    @Argument(help: "From 'space-invitations list'.")
    package var id: SpaceInvitation.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let member = try await spaces.memberships.accept(spaces.completed(id))
        try console.confirm(member.spaceId.rawValue, "joined")
        console.note("'\(ProgramName.current) sync' fetches its rows.")
    }
}

extension Spaces {
    /// The complete id of an invitation to the user; a complete one is not looked up.
    func completed(_ id: SpaceInvitation.ID) async throws -> SpaceInvitation.ID {
        try await id.completed { _ in try await memberships.invitations(of: nil).map(\.id) }
    }
}
