import AccountsDomain
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataSystem
import StrataTesting

/// Accounts in memory, with a server that can be away.
final class FakeAccountRepository: SessionRepository {
    struct State {
        var users: [User] = [.sample()]
        var passwords: [String: Secret] = ["ada": Secret("correct horse")]
        var sessions: [Session] = []
        var tokens: [HostToken] = []
        var loggedIn: String?
        var devices: [String] = []
        var isServerAway = false
        /// How a login by a browser fails.
        var browserRefusal: DomainError?
    }

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func login(username: String, password: Secret, device: String) async throws(DomainError) -> String {
        guard current.passwords[username] == password else { throw .unauthorized("The name or the password is wrong.") }
        change { state in
            state.loggedIn = username
            state.devices.append(device)
        }
        return "file /home/ada/tokens.json"
    }

    func login(
        device: String, within limit: Duration?, show: @Sendable (DeviceCode) -> Void
    ) async throws(DomainError) -> (username: String, place: String) {
        show(
            DeviceCode(
                code: "WDJB-MJHT", page: "https://example.org/device",
                link: "https://example.org/device?user_code=WDJB-MJHT"))
        if let refusal = current.browserRefusal { throw refusal }
        change { state in
            state.loggedIn = "ada"
            state.devices.append(device)
        }
        return ("ada", "file /home/ada/tokens.json")
    }

    func logout(everywhere: Bool) async throws(DomainError) -> Bool {
        let isAway = current.isServerAway
        if everywhere, isAway { throw .unavailable("No connection: nobody was logged out.") }
        change { $0.loggedIn = nil }
        return !isAway
    }

    func me() async throws(DomainError) -> User {
        let now = current
        guard let user = now.users.first(where: { $0.username == now.loggedIn }) else {
            throw .unauthorized("Nobody is logged in; '\(ProgramName.current) login' starts a session.")
        }
        return user
    }

    func changePassword(from current: Secret, to new: Secret) async throws(DomainError) {
        let user = try await me()
        guard self.current.passwords[user.username] == current else {
            throw .validation(
                "The password was not changed.",
                fields: [FieldError(field: "current_password", message: "is not the password of this account")])
        }
        change { $0.passwords[user.username] = new }
    }

    func list(upTo limit: Int) async throws(DomainError) -> (items: [Session], total: Int?) { list(\.sessions) }
    func delete(_ id: Session.ID) async throws(DomainError) { try delete(id, \.sessions) }

    fileprivate func list<Item>(_ rows: KeyPath<State, [Item]>) -> (items: [Item], total: Int?) {
        let items = current[keyPath: rows]
        return (items, items.count)
    }

    fileprivate func delete<Item: Resource>(
        _ id: Item.ID, _ rows: WritableKeyPath<State, [Item]>
    ) throws(DomainError) {
        guard current[keyPath: rows].contains(where: { $0.id == id }) else {
            throw .notFound("No \(Item.noun) '\(id)'.")
        }
        change { $0[keyPath: rows].removeAll { $0.id == id } }
    }
}

/// The users of a fake.
struct FakeUsers: UserRepository {
    let accounts: FakeAccountRepository

    func list(upTo limit: Int) async throws(DomainError) -> (items: [User], total: Int?) { accounts.list(\.users) }
    func delete(_ id: User.ID) async throws(DomainError) { try accounts.delete(id, \.users) }

    func create(_ draft: UserDraft) async throws(DomainError) -> User {
        if accounts.current.users.contains(where: { $0.username == draft.username }) {
            throw .conflict("The name '\(draft.username)' is taken.")
        }
        let user = User(
            id: User.ID("u\(accounts.current.users.count + 1)"), username: draft.username, role: draft.role,
            email: draft.email, createdAt: .noon, updatedAt: .noon)
        accounts.change { state in
            state.users.append(user)
            state.passwords[user.username] = draft.password
        }
        return user
    }

    func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User {
        var user = try await get(id)
        (user.username, user.role) = (draft.username, draft.role)
        if let email = draft.email { user.email = email.isEmpty ? nil : email }
        let updated = user
        accounts.change { state in
            state.users = state.users.map { $0.id == id ? updated : $0 }
            if let password = draft.password { state.passwords[updated.username] = password }
        }
        return updated
    }
}

/// The host tokens of a fake.
struct FakeHostTokens: HostTokenRepository {
    let accounts: FakeAccountRepository

    func list(upTo limit: Int) async throws(DomainError) -> (items: [HostToken], total: Int?) {
        accounts.list(\.tokens)
    }
    func delete(_ id: HostToken.ID) async throws(DomainError) { try accounts.delete(id, \.tokens) }

    func create(_ draft: HostTokenDraft) async throws(DomainError) -> NewHostToken {
        let token = HostToken(
            id: HostToken.ID("t\(accounts.current.tokens.count + 1)"), name: draft.name, createdAt: .noon,
            lastUsedAt: nil)
        accounts.change { $0.tokens.append(token) }
        return NewHostToken(token, key: Secret("key-of-\(draft.name)"))
    }
}

extension Accounts {
    init(_ fake: FakeAccountRepository) {
        self.init(sessions: fake, users: FakeUsers(accounts: fake), hostTokens: FakeHostTokens(accounts: fake))
    }
}

extension User {
    static func sample(_ id: String = "u1", _ name: String = "ada", role: Role = .admin) -> User {
        User(id: ID(id), username: name, role: role, createdAt: .noon, updatedAt: .noon)
    }
}
