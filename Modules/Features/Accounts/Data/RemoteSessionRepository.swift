import AccountsAPI
package import AccountsDomain
package import StrataDomain
package import StrataTokens

/// Sessions at the server, with their tokens in the store of this machine.
package struct RemoteSessionRepository: SessionRepository {
    private let client: any APIClient
    private let open: any APIClient
    private let provider: RefreshingTokenProvider
    private let store: any TokenStore
    private let clock: any WallClock

    /// - Parameters:
    ///   - client: Sends with the tokens of `provider`.
    ///   - open: Sends without credentials: login and revocation.
    ///   - provider: Hands out the tokens of `store`.
    ///   - clock: As for the token provider.
    package init(
        client: any APIClient, open: any APIClient, provider: RefreshingTokenProvider, store: any TokenStore,
        clock: any WallClock = SystemWallClock()
    ) {
        self.client = client
        self.open = open
        self.provider = provider
        self.store = store
        self.clock = clock
    }

    package func login(username: String, password: Secret, device: String) async throws(DomainError) -> String {
        let asked = clock.now
        let credentials = Credentials(username: username, password: password.reveal(), device: device)
        let tokens: SessionTokens
        do throws(NetworkError) {
            let answer = try await open.response(
                to: CreateSession(credentials: credentials), options: CallOptions())
            tokens = SessionTokens(answer.value, askedAt: clock.moment(asked, answeredBy: answer.head))
        } catch {
            throw .login(error)
        }
        do throws(TokenStoreError) { try await provider.install(tokens) } catch { throw .tokens(error) }
        return store.place
    }

    package func logout(everywhere: Bool) async throws(DomainError) -> Bool {
        if everywhere { try await endAll() }
        return try await forget(confirmed: everywhere)
    }

    package func me() async throws(DomainError) -> User {
        do throws(NetworkError) { return try await client.send(GetMe()).user } catch { throw .accounts(error) }
    }

    package func sessions() async throws(DomainError) -> [Session] {
        do throws(NetworkError) { return try await client.send(ListSessions()).items.map(\.session) } catch {
            throw .accounts(error)
        }
    }

    package func revoke(_ id: Session.ID) async throws(DomainError) {
        do throws(NetworkError) { _ = try await client.send(EndSession(target: id.rawValue)) } catch {
            throw .accounts(error, missing: "'shiftlog sessions list' shows those there are.")
        }
    }

    /// Ends every session at the server; when that fails, nothing was changed here either.
    private func endAll() async throws(DomainError) {
        do throws(NetworkError) { _ = try await client.send(EndSession(target: "all")) } catch {
            guard case .unavailable(let text) = DomainError.accounts(error) else { throw .accounts(error) }
            throw .unavailable("\(text) The tokens are still here; 'shiftlog logout' forgets them without the server.")
        }
    }

    /// Forgets the tokens first, then tells the server, which may take long or fail.
    private func forget(confirmed: Bool) async throws(DomainError) -> Bool {
        let isReadable = await isReadable
        let tokens: SessionTokens?
        do throws(TokenStoreError) { tokens = try await provider.logout() } catch { throw .tokens(error) }
        if confirmed { return true }
        // Nobody was logged in, or there was a session whose tokens could not be read.
        guard let tokens else { return isReadable }
        do throws(NetworkError) {
            // RFC 7009: the refresh token proves the session, so an expired access token needs no renewal first.
            let revocation = RevokeToken(revocation: Revocation(token: tokens.refresh.reveal()))
            _ = try await open.send(revocation, options: CallOptions(deadline: .seconds(5)))
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
