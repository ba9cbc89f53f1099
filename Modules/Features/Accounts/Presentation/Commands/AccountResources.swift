package import AccountsDomain
package import StrataDomain
package import StrataTerminal

extension Session: ManagedResource {
    package typealias Tools = Accounts
    package static let listing = "List your sessions."
    package static let removal = (name: "revoke", abstract: "End a session on another device.", result: "revoked")
    package static let columns: [ListColumn<Session>] = [
        .init(.init("DEVICE", isFlexible: true)) { .init($0.device) },
        .init(.time("SINCE")) { .init($0.createdAt) },
        .init(.time("LAST USED")) { .init($0.lastUsedAt) },
        .init(.init(""), name: "current") { .init($0.isCurrent ? "this one" : "", .green) },
    ]
    package static func repository(_ accounts: Accounts) -> any ResourceRepository<Session> { accounts.sessions.erased }
}

extension User: ManagedResource {
    package typealias Tools = Accounts
    package static let listing = "List accounts."
    package static let removal = (
        name: "delete", abstract: "Delete an account and end its sessions.", result: "deleted"
    )
    package static let columns: [ListColumn<User>] = [
        .init(.init("NAME", isFlexible: true)) { .init($0.username, .bold) },
        .init(.init("ROLE")) { .init($0.role.rawValue) },
        .init(.init("EMAIL", isFlexible: true)) { .init($0.email ?? "") },
        .init(.time("CREATED")) { .init($0.createdAt) },
        .init(.time("UPDATED"), isDetail: true) { .init($0.updatedAt) },
    ]
    package static func repository(_ accounts: Accounts) -> any ResourceRepository<User> { accounts.users.erased }
}

extension HostToken: ManagedResource {
    package typealias Tools = Accounts
    package static let listing = "List host tokens, without their keys."
    package static let removal = (name: "revoke", abstract: "Revoke a host token.", result: "revoked")
    package static let columns: [ListColumn<HostToken>] = [
        .init(.init("NAME", isFlexible: true)) { .init($0.name, .bold) },
        .init(.time("CREATED")) { .init($0.createdAt) },
        .init(.time("LAST USED")) { .init($0.lastUsedAt, missing: "never") },
    ]
    package static func repository(_ accounts: Accounts) -> any ResourceRepository<HostToken> {
        accounts.hostTokens.erased
    }
}
