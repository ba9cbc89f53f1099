import AccountsDomain
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataSystem
import StrataTesting

/// Accounts in memory, with a server that can be away.
final class FakeAccountRepository: SessionRepository, UserRepository, HostTokenRepository {
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
        /// Users in a page at most; pages of the server may be smaller than asked for.
        var pageSize = 200
        /// Pages that were asked for.
        var pages: [Int] = []
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

    func sessions() async throws(DomainError) -> [Session] { current.sessions }

    func revoke(_ id: Session.ID) async throws(DomainError) {
        guard current.sessions.contains(where: { $0.id == id }) else { throw .notFound("No session '\(id)'.") }
        change { $0.sessions.removeAll { $0.id == id } }
    }

    func users(page: Int, limit: Int) async throws(DomainError) -> UserPage {
        let now = current
        change { $0.pages.append(page) }
        let size = min(limit, now.pageSize)
        let users = now.users.dropFirst((page - 1) * size).prefix(size)
        return UserPage(users: Array(users), total: now.users.count, page: page, limit: limit)
    }

    func user(_ id: User.ID) async throws(DomainError) -> User {
        guard let user = current.users.first(where: { $0.id == id }) else { throw .notFound("No account '\(id)'.") }
        return user
    }

    func create(_ draft: UserDraft) async throws(DomainError) -> User {
        if current.users.contains(where: { $0.username == draft.username }) {
            throw .conflict("The name '\(draft.username)' is taken.")
        }
        let user = User(
            id: User.ID("u\(current.users.count + 1)"), username: draft.username, role: draft.role, createdAt: .noon,
            updatedAt: .noon)
        change { state in
            state.users.append(user)
            state.passwords[user.username] = draft.password
        }
        return user
    }

    func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User {
        var user = try await user(id)
        (user.username, user.role) = (draft.username, draft.role)
        let updated = user
        change { state in
            state.users = state.users.map { $0.id == id ? updated : $0 }
            if let password = draft.password { state.passwords[updated.username] = password }
        }
        return updated
    }

    func delete(_ id: User.ID) async throws(DomainError) {
        _ = try await user(id)
        change { $0.users.removeAll { $0.id == id } }
    }

    func hostTokens() async throws(DomainError) -> [HostToken] { current.tokens }

    func create(_ draft: HostTokenDraft) async throws(DomainError) -> NewHostToken {
        let token = HostToken(
            id: HostToken.ID("t\(current.tokens.count + 1)"), name: draft.name, createdAt: .noon, lastUsedAt: nil)
        change { $0.tokens.append(token) }
        return NewHostToken(token, key: Secret("key-of-\(draft.name)"))
    }

    func revoke(_ id: HostToken.ID) async throws(DomainError) {
        guard current.tokens.contains(where: { $0.id == id }) else { throw .notFound("No host token '\(id)'.") }
        change { $0.tokens.removeAll { $0.id == id } }
    }
}

extension User {
    static func sample(_ id: String = "u1", _ name: String = "ada", role: Role = .admin) -> User {
        User(id: ID(id), username: name, role: role, createdAt: .noon, updatedAt: .noon)
    }
}
