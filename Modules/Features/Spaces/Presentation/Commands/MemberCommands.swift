package import ArgumentParser
package import SpacesDomain
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `spaces leave SPACE`.
package struct SpaceLeaveCommand: ConsoleCommand {
    package static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a space.",
        discussion: """
            The next synchronisation removes its rows from this machine. Writes to them that were not sent are shown by \
            '\(ProgramName.current) outbox list' and stay until they are discarded.

            Example: \(ProgramName.current) spaces leave Platform
            """)

    @OptionGroup package var argument: SpaceArgument
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let space = try await spaces.id(of: argument.space)
        try await spaces.leave(space)
        try console.confirm(space.rawValue, "left")
        console.note("'\(ProgramName.current) sync' removes what is stored of it here.")
    }
}

/// `space-members update SPACE USER --role R`.
package struct MemberUpdateCommand: ConsoleCommand {
    package static let configuration = CommandConfiguration(
        "update", "Change the role of a member.", example: "space-members update Platform bob --role editor")

    @OptionGroup package var arguments: MemberArguments
    @Option(help: "The new role.")
    package var role: MemberRole
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let member = try await arguments.member(spaces)
        try console.show(try await spaces.memberships.change(member.id, of: member.spaceId, to: role))
    }
}

/// A member of a space.
package struct MemberArguments: ParsableArguments, Sendable {
    @OptionGroup package var argument: SpaceArgument
    @Argument(help: "From 'space-members list'.")
    package var user: String

    package init() {}

    func member(_ spaces: Spaces) async throws -> SpaceMember {
        try await spaces.member(user, of: spaces.id(of: argument.space))
    }
}
