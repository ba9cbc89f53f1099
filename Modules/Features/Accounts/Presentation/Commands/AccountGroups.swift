import AccountsDomain
package import ArgumentParser
import StrataTerminal

/// `sessions`.
package struct SessionsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List and end your sessions on other devices.",
        subcommands: [
            ResourceListCommand<Session>.self, ResourceRemoveCommand<Session>.self, ResourceExportCommand<Session>.self,
        ])
    package init() {}
}

/// `users`, for administrators.
package struct UsersGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Manage accounts; for administrators.",
        subcommands: [
            ResourceListCommand<User>.self, ResourceShowCommand<User>.self, UserCreateCommand.self,
            UserUpdateCommand.self, ResourceRemoveCommand<User>.self, ResourceExportCommand<User>.self,
        ])
    package init() {}
}

/// `host-tokens`.
package struct HostTokensGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "host-tokens", abstract: "Manage the keys with which machines call the server.",
        subcommands: [
            ResourceListCommand<HostToken>.self, HostTokenCreateCommand.self, ResourceRemoveCommand<HostToken>.self,
            ResourceExportCommand<HostToken>.self,
        ])
    package init() {}
}
