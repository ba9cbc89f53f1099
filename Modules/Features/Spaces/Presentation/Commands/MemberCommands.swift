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

    @OptionGroup package var argument: SpaceArgument
    @Argument(help: "From 'space-members list'.")
    package var user: String
    @Option(help: "The new role.")
    package var role: MemberRole
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let space = try await spaces.id(of: argument.space)
        let member = try await spaces.member(user, of: space)
        try console.show(try await spaces.memberships.change(member.id, of: space, to: role))
    }
}

/// `space-members rm SPACE USER`.
package struct MemberRemoveCommand: ConsoleCommand {
    package static let configuration = CommandConfiguration(
        "rm", "Remove a member from a space.", example: "space-members rm Platform bob")

    @OptionGroup package var argument: SpaceArgument
    @Argument(help: "From 'space-members list'.")
    package var user: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ spaces: Spaces, _ console: Console) async throws {
        let space = try await spaces.id(of: argument.space)
        let member = try await spaces.member(user, of: space)
        try await spaces.memberships.remove(member.id, from: space)
        try console.confirm(member.id.rawValue, "removed")
    }
}
