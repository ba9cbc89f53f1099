package import ArgumentParser

/// `sessions`.
package struct SessionsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List and end your sessions on other devices.",
        subcommands: [SessionListCommand.self, SessionRevokeCommand.self])
    package init() {}
}

/// `users`, for administrators.
package struct UsersGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Manage accounts; for administrators.",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserCreateCommand.self, UserUpdateCommand.self,
            UserDeleteCommand.self,
        ])
    package init() {}
}

/// `host-tokens`.
package struct HostTokensGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "host-tokens", abstract: "Manage the keys with which machines add entries.",
        subcommands: [HostTokenListCommand.self, HostTokenCreateCommand.self, HostTokenRevokeCommand.self])
    package init() {}
}
