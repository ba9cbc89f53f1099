import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem
package import StrataTokens

/// Sessions at the server, with their tokens in the store of this machine.
package struct RemoteSessionRepository: SessionRepository {
    private let client: AccountRequests
    private let open: any APIClient
    private let provider: RefreshingTokenProvider
    private let store: any TokenStore
    private let server: String
    private let clock: ServerClock

    /// How long a session that is over may take to end at the server.
    private static let farewell = CallOptions(deadline: .seconds(5))

    /// - Parameters:
    ///   - client: Sends with the tokens of `provider`.
    ///   - open: Sends without credentials: login and revocation.
    ///   - provider: Hands out the tokens of `store`.
    ///   - server: The origin that the clients send to.
    ///   - clock: As for the token provider.
    package init(
        client: any APIClient, open: any APIClient, provider: RefreshingTokenProvider, store: any TokenStore,
        server: String, clock: ServerClock = ServerClock()
    ) {
        self.client = AccountRequests(client: client)
        self.open = open
        self.provider = provider
        self.store = store
        self.server = server
        self.clock = clock
    }

    package func login(username: String, password: Secret, device: String) async throws(DomainError) -> String {
        let replaced: SessionTokens?
        do {
            replaced = try await provider.startSession {
                try await signIn(Credentials(username: username, password: password.reveal(), device: device))
            } discard: { tokens in
                // In a task of its own: an interrupt of the login does not leave its session behind.
                _ = await Task { await revoke(tokens) }.value
            }
        } catch let error as NetworkError {
            throw .login(error)
        } catch let error as TokenStoreError {
            throw .tokens(error)
        } catch {
            throw DomainError(error)
        }
        // From here on the new session is there, whatever becomes of the old one.
        if let replaced, replaced.account?.server == server { _ = await revoke(replaced) }
        return store.place
    }

    /// Tokens of a new session, with the account that the server names in them.
    private func signIn(_ credentials: Credentials) async throws(NetworkError) -> SessionTokens {
        let asked = clock.now
        let answer = try await open.response(to: CreateSession(credentials: credentials), options: CallOptions())
        var tokens = SessionTokens(answer.value, askedAt: clock.learn(from: answer.head, askedAt: asked))
        guard let user = TokenAccount.subject(tokens.access) else {
            _ = await revoke(tokens)
            throw NetworkError(.invalidResponse("an access token that names no user"))
        }
        tokens.account = SessionAccount(
            server: server, userId: user, username: credentials.username, loggedInAt: clock.now)
        return tokens
    }

    package func logout(everywhere: Bool) async throws(DomainError) -> Bool {
        if everywhere { try await endAll() }
        return try await forget(confirmed: everywhere)
    }

    package func me() async throws(DomainError) -> User {
        try await client.send(GetMe())
    }

    package func sessions() async throws(DomainError) -> [Session] {
        try await client.send(ListSessions()).items
    }

    package func revoke(_ id: Session.ID) async throws(DomainError) {
        _ = try await client.send(
            EndSession(target: id.rawValue), missing: "'\(ProgramName.current) sessions list' shows those there are.")
    }

    /// Ends every session at the server; when that fails, nothing was changed here either.
    private func endAll() async throws(DomainError) {
        do throws(DomainError) { _ = try await client.send(EndSession(target: "all")) } catch {
            guard case .unavailable(let text) = error else { throw error }
            throw .unavailable(
                "\(text) The tokens are still here; '\(ProgramName.current) logout' deletes them without the server.")
        }
    }

    /// Forgets the tokens first, then tells the server, which may take long or fail.
    private func forget(confirmed: Bool) async throws(DomainError) -> Bool {
        let isReadable = await isReadable
        let tokens: SessionTokens?
        do throws(TokenStoreError) { tokens = try await provider.logout() } catch { throw .tokens(error) }
        if confirmed { return true }
        // There was no session, or its tokens could not be read.
        guard let tokens else { return isReadable }
        return await revoke(tokens)
    }

    /// Whether the server confirmed the end of the session.
    private func revoke(_ tokens: SessionTokens) async -> Bool {
        do throws(NetworkError) {
            // RFC 7009: the refresh token proves the session, so an expired access token needs no renewal first.
            let revocation = RevokeToken(revocation: Revocation(token: tokens.refresh.reveal()))
            _ = try await open.send(revocation, options: Self.farewell)
            return true
        } catch {
            return false
        }
    }

    private var isReadable: Bool {
        get async {
            do throws(TokenStoreError) {
                _ = try await store.read()
                return true
            } catch {
                return false
            }
        }
    }
}
