package import ArgumentParser
package import SpacesDomain
import StrataDomain
import StrataTerminal

/// `spaces`.
package struct SpacesGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: Space.commandName, abstract: "Manage spaces: rows that only their members see.",
        subcommands: Space.commands.filter { $0 != EntityImportCommand<FieldsView<Space>>.self }
            + [SpaceLeaveCommand.self])
    package init() {}
}

/// `space-members`.
package struct SpaceMembersGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: SpaceMember.path, abstract: "List the members of a space, change their roles, remove them.",
        subcommands: [
            ResourceListCommand<SpaceMember>.self, MemberUpdateCommand.self, ResourceRemoveCommand<SpaceMember>.self,
            ResourceExportCommand<SpaceMember>.self,
        ])
    package init() {}
}

/// `space-invitations`.
package struct SpaceInvitationsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: SpaceInvitation.path, abstract: "Invite users to a space; accept or decline an invitation.",
        subcommands: [
            ResourceListCommand<SpaceInvitation>.self, InvitationCreateCommand.self, InvitationAcceptCommand.self,
            ResourceRemoveCommand<SpaceInvitation>.self, ResourceExportCommand<SpaceInvitation>.self,
        ])
    package init() {}
}

extension MemberRole: ExpressibleByArgument {}

/// The space that members and invitations belong to.
package struct SpaceArgument: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("Its name, or its id from 'spaces list'.", valueName: "space"),
        completion: .ids(of: Space.collection))
    package var space: String

    package init() {}
}

extension Spaces {
    /// - Parameter text: A name, an id, or the end of one.
    func id(of text: String) async throws -> Space.ID { Space.ID(try await known.id(of: text)) }
}
