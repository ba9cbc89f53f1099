import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Opens a URL in the user's browser, and returns without waiting for the login. The name has the same reason as `ReceiveBody`.
public typealias OpenBrowser = @Sendable (_ url: String) async throws -> Void

extension OAuth {
    /// A session that a user logs in to with the browser of this machine (RFC 8252; PKCE with S256, RFC 7636).
    ///
    /// A session that `store` has is used as it is, whatever its scope, and no browser is opened; `logout` of the provider ends
    /// it. Otherwise the answer comes to `http://127.0.0.1:PORT/callback`, where a listener waits as long as this call.
    ///
    /// - Parameters:
    ///   - scope: The rights to ask for, with a space between two. Default: what the server gives without one.
    ///   - store: Keeps the tokens. Default: the memory of this process.
    ///   - parameters: Further items of the authorization URL, such as `prompt` or `audience`.
    ///   - port: For a server that compares the port of the redirect URI. Default 0: a free one (RFC 8252, section 7.3).
    ///   - limit: For the user to log in. Default 5 minutes.
    ///   - openBrowser: Gets the URL to open; runs beside the listener.
    /// - Throws: `NetworkError`: `.forbidden` when the login is refused (`access_denied`); `.invalidResponse` for the answer
    ///   of another server; `.timeout` at the limit; `.storage`; `.cancelled`. What `openBrowser` throws.
    public func authorizationCode(
        scope: String? = nil, store: any TokenStore = InMemoryTokenStore(), parameters: [String: String] = [:],
        port: Int = 0, within limit: Duration = .seconds(300), openBrowser: @escaping OpenBrowser
    ) async throws -> RefreshingTokenProvider {
        let provider = session(in: store)
        if try await hasSession(store) { return provider }
        guard let authorization = server.authorization else { throw Self.missing("authorization", "authorization:") }
        let listener = try Self.listener(port)
        let login = AuthorizationRequest(redirect: listener.redirect, random: random)
        let url = try login.url(at: authorization, client: client.id, scope: scope, parameters: parameters)
        let query = try await answer(to: listener, of: login, within: limit) { try await openBrowser(url) }
        let code = try login.code(in: query, from: server)
        let grant = [
            ("grant_type", "authorization_code"), ("code", code.reveal()), ("redirect_uri", login.redirect),
            ("code_verifier", login.verifier.reveal()),
        ]
        return try await keeping(provider) { [token] () async throws(NetworkError) in
            do throws(NetworkError) {
                return try await token.tokens(for: grant, secrets: [code, login.verifier])
            } catch {
                guard error.endsSession else { throw error }
                throw error.explained(
                    "the server refuses the code of the login, or it has expired", "begin the login again")
            }
        }
    }

    private static func listener(_ port: Int) throws(NetworkError) -> LoopbackListener {
        guard let port = UInt16(exactly: port) else {
            throw NetworkError(.invalidRequest("\(port) is no port; use 1 to 65535, or 0 for a free one"))
        }
        do throws(Errno) { return try LoopbackListener(port: port) } catch {
            throw NetworkError(
                .invalidRequest(
                    "no answer of a browser can be taken at port \(port) of 127.0.0.1: \(error); end the program that uses "
                        + "it, or choose another port"))
        }
    }

    private enum Step: Sendable {
        case opened
        case answered(String)
        case expired
    }

    /// The query that the browser brings to `listener`.
    private func answer(
        to listener: LoopbackListener, of login: AuthorizationRequest, within limit: Duration,
        _ open: @escaping @Sendable () async throws -> Void
    ) async throws -> String {
        do {
            return try await withThrowingTaskGroup(of: Step.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    do {
                        return .answered(
                            try await listener.query(at: LoopbackListener.path) { login.isAnswered(by: $0) })
                    } catch let error as Errno {
                        throw NetworkError(.unexpected("the answer of the browser was not received: \(error)"))
                    }
                }
                group.addTask { [timer] in
                    try await timer.sleep(for: limit)
                    return .expired
                }
                group.addTask {
                    try await open()
                    return .opened
                }
                while let step = try await group.next() {
                    switch step {
                    case .opened: continue
                    case .answered(let query): return query
                    case .expired: throw NetworkError(.timeout)
                    }
                }
                throw CancellationError()
            }
        } catch is CancellationError {
            throw NetworkError(.cancelled)
        }
    }
}
