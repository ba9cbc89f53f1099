import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem
package import StrataTokens

/// Sessions at the server, with their tokens in the store of this machine.
package struct RemoteSessionRepository: AccountRepository, SessionRepository {
    package let client: any APIClient
    private let open: any APIClient
    private let provider: RefreshingTokenProvider
    private let store: any TokenStore
    private let server: String
    private let clock: ServerClock
    /// Measures the waits between polls.
    private let timer: any Clock<Duration>

    /// How long a session that is over may take to end at the server.
    private static let farewell = CallOptions(deadline: .seconds(5))

    /// - Parameters:
    ///   - client: Sends with the tokens of `provider`.
    ///   - open: Sends without credentials: login and revocation.
    ///   - provider: Hands out the tokens of `store`.
    ///   - server: The origin that the clients send to.
    ///   - clock: As for the token provider.
    ///   - timer: Measures the waits of a login by a browser.
    package init(
        client: any APIClient, open: any APIClient, provider: RefreshingTokenProvider, store: any TokenStore,
        server: String, clock: ServerClock = ServerClock(), timer: any Clock<Duration> = ContinuousClock()
    ) {
        self.client = client
        self.open = open
        self.provider = provider
        self.store = store
        self.server = server
        self.clock = clock
        self.timer = timer
    }

    package func login(username: String, password: Secret, device: String) async throws(DomainError) -> String {
        try await startSession(discard: end) {
            try await signIn(Credentials(username: username, password: password.reveal(), device: device))
        }
        return store.place
    }

    package func login(
        device: String, within limit: Duration?, show: @Sendable (DeviceCode) -> Void
    ) async throws(DomainError) -> (username: String, place: String) {
        // The lock of the store is not held while the user decides.
        let tokens: SessionTokens
        do throws(NetworkError) {
            let login = DeviceLogin(client: open, clock: clock, timer: timer)
            tokens = try await login.tokens(device: device, within: limit, show: show)
        } catch { throw .deviceLogin(error) }
        let named: SessionTokens
        do throws(NetworkError) { named = try await naming(tokens, TokenAccount.username(tokens.access)) } catch {
            throw .deviceLogin(error)
        }
        do throws(DomainError) { try await startSession(discard: { _ in }) { named } } catch {
            // Without a place for its tokens the session is of no use.
            await end(named)
            throw error
        }
        return (named.account?.username ?? "", store.place)
    }

    /// Ends a session whose tokens are not kept; in a task of its own, because an interrupt of the login must not leave it.
    @Sendable private func end(_ tokens: SessionTokens) async { _ = await Task { await revoke(tokens) }.value }

    /// Stores the tokens that `signIn` gets, and ends the session they replace.
    private func startSession(
        discard: @Sendable (SessionTokens) async -> Void, _ signIn: @Sendable () async throws -> SessionTokens
    ) async throws(DomainError) {
        let replaced: SessionTokens?
        do {
            replaced = try await provider.startSession(signIn, discard: discard)
        } catch let error as NetworkError {
            throw .login(error)
        } catch let error as TokenStoreError {
            throw .tokens(error)
        } catch {
            throw DomainError(error)
        }
        // From here on the new session is there, whatever becomes of the old one.
        if let replaced, replaced.account?.server == server { _ = await revoke(replaced) }
    }

    /// Tokens of a new session, with the account that the server names in them.
    private func signIn(_ credentials: Credentials) async throws(NetworkError) -> SessionTokens {
        let asked = clock.now
        let answer = try await open.response(to: CreateSession(credentials: credentials), options: CallOptions())
        let tokens = try SessionTokens(answer.value, askedAt: clock.learn(from: answer.head, askedAt: asked))
        return try await naming(tokens, credentials.username)
    }

    /// The tokens with their account.
    ///
    /// - Throws: `.invalidResponse` when they name no user; their session is ended then.
    private func naming(_ tokens: SessionTokens, _ username: String?) async throws(NetworkError) -> SessionTokens {
        guard let user = TokenAccount.subject(tokens.access), let username else {
            _ = await revoke(tokens)
            throw NetworkError(.invalidResponse("an access token that names no user"))
        }
        var tokens = tokens
        tokens.account = SessionAccount(server: server, userId: user, username: username, loggedInAt: clock.now)
        return tokens
    }

    package func logout(everywhere: Bool) async throws(DomainError) -> Bool {
        if everywhere { try await endAll() }
        return try await forget(confirmed: everywhere)
    }

    package func me() async throws(DomainError) -> User {
        try await send(GetMe())
    }

    package func changePassword(from current: Secret, to new: Secret) async throws(DomainError) {
        _ = try await send(
            ChangePassword(
                change: PasswordChange(currentPassword: current.reveal(), newPassword: new.reveal())))
    }

    package func delete(_ id: Session.ID) async throws(DomainError) {
        _ = try await send(EndSession(target: id.rawValue), about: id)
    }

    /// Ends every session at the server; when that fails, nothing was changed here either.
    private func endAll() async throws(DomainError) {
        do throws(DomainError) { _ = try await send(EndSession(target: "all")) } catch {
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
            let revocation = RevokeToken(revocation: Revocation(token: (tokens.refresh ?? tokens.access).reveal()))
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
