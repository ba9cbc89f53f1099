import AccountsDomain
import AccountsService
import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataService

struct ListUsersCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-users",
        abstract: "List the accounts: name, role, active sessions, time of creation, address.")

    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        try await store.withAccounts(environment) { accounts in
            let users = try await accounts.users()
            let rows = users.map { user, sessions in
                [user.username, user.role.rawValue, "\(sessions)", RFC3339.string(from: user.createdAt)]
                    + (user.email.map { [$0] } ?? [])
            }
            let roleWidth = ServerProgram.current.roles.names.map(\.count).max() ?? 0
            for line in TextColumns.lines(rows, minimumWidths: [0, roleWidth]) { try StandardStreams.output(line) }
        }
    }
}

struct SetPasswordCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set the password of an account and end its sessions.")

    @Argument(help: "Name of the account.") var name: String
    @OptionGroup var password: PasswordOption
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let password = try password.read()
        try await store.withAccounts(environment) { accounts in
            try await accounts.setPassword(of: name, to: password)
            try StandardStreams.output("Set the password of '\(name)' and ended its sessions.")
        }
    }
}

struct EndSessionsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions", abstract: "End every session of an account.")

    @Argument(help: "Name of the account.") var name: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        try await store.withAccounts(environment) { accounts in
            let count = try await accounts.endSessions(of: name)
            try StandardStreams.output("Ended \(count == 1 ? "1 session" : "\(count) sessions") of '\(name)'.")
        }
    }
}

struct DeleteUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-user", abstract: "Delete an account and end its sessions; what it wrote stays.")

    @Argument(help: "Name of the account.") var name: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        try await store.withAccounts(environment) { accounts in
            try await accounts.deleteUser(name)
            try StandardStreams.output("Deleted '\(name)'.")
        }
    }
}

struct LinkUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "link-user", abstract: "Let a user of the OpenID provider sign in to an account.")

    @Argument(help: "Name of the account.") var name: String
    @Option(help: "The id of the user at the provider: 'sub' of its tokens.") var openidSubject: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        guard let provider = try store.settings(environment).openID else {
            throw Failure("\(Setting.oidcIssuer.title) is not set; set it as for 'serve'.", Failure.usage)
        }
        try await store.withAccounts(environment) { accounts in
            try await accounts.link(name, issuer: provider.issuer, subject: openidSubject)
            try StandardStreams.output("Linked '\(name)' to '\(openidSubject)' at \(provider.issuer).")
        }
    }
}

struct UnlinkUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink-user",
        abstract: "Remove the links of an account to users of OpenID providers, and end its sessions.")

    @Argument(help: "Name of the account.") var name: String
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        try await store.withAccounts(environment) { accounts in
            let count = try await accounts.unlink(name)
            try StandardStreams.output(
                "Removed \(count == 1 ? "1 link" : "\(count) links") of '\(name)' and ended its sessions.")
        }
    }
}
