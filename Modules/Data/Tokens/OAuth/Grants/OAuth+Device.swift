import FoundationEssentials
public import StrataDomain

extension OAuth {
    /// A session that a user allows on any device with a browser, by a code (RFC 8628).
    ///
    /// A session that `store` has is used as it is, whatever its scope, and nothing is shown; `logout` of the provider ends it.
    ///
    /// - Parameters:
    ///   - scope: The rights to ask for, with a space between two. Default: what the server gives without one.
    ///   - store: Keeps the tokens. Default: the memory of this process.
    ///   - parameters: Further fields of the first request, such as `audience`.
    ///   - limit: For all requests and waits together. Default: `nil`, until the code expires.
    ///   - show: Gets code and page once, before the first poll.
    /// - Throws: `.forbidden` when the user refuses (`access_denied`), `.validation` when the code has expired
    ///   (`expired_token`), each with its code in the problem; `.timeout` at the limit; `.storage`; `.cancelled`.
    public func device(
        scope: String? = nil, store: any TokenStore = InMemoryTokenStore(), parameters: [String: String] = [:],
        within limit: Duration? = nil, show: ShowPrompt
    ) async throws(NetworkError) -> RefreshingTokenProvider {
        let provider = session(in: store)
        if try await hasSession(store) { return provider }
        guard let endpoint = device else { throw Self.missing("device authorization", "device:") }
        let start = Self.stopwatch(timer)
        var fields: [FormText.Field] = []
        // The endpoint knows the program by its id also where Basic proves it.
        if case .basic(let id, _) = client { fields.append(("client_id", id)) }
        if let scope { fields.append(("scope", scope)) }
        let asked = clock.now
        let answer = try await endpoint.send(
            try FormText.joined(fields, parameters), secrets: [], within: limit)
        let codes = try DeviceAuthorizationCodes(
            answer.members, now: clock.learn(from: answer.head, askedAt: asked))
        await show(codes.prompt)
        let grant = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", codes.device.reveal()),
        ]
        let polling = DevicePolling(interval: codes.interval, expiresIn: codes.expiresIn, timer: timer)
        let tokens: SessionTokens
        do throws(NetworkError) {
            tokens = try await polling.tokens(within: limit.map { $0 - start() }) { limit throws(NetworkError) in
                try await token.tokens(for: grant, secrets: [codes.device], within: limit)
            }
        } catch { throw Self.deviceRefusal(error) }
        return try await keeping(provider) { () async throws(NetworkError) in tokens }
    }

    private static let expired = "the code has expired before the login was allowed"
    private static let again = "begin the login again"

    /// The end of a device grant (RFC 8628, section 3.5), with its next step.
    private static func deviceRefusal(_ error: NetworkError) -> NetworkError {
        guard let problem = error.problem, !error.isRetryable else { return error }
        switch problem.error {
        case "access_denied":
            return NetworkError(.forbidden(problem), request: error.request)
                .explained("the login was refused in the browser", "begin it again and allow it there")
        case "expired_token": return error.explained(expired, again)
        // The server did not say so itself.
        case "authorization_pending", "slow_down":
            let problem = Problem(
                title: "Expired", status: 400, detail: "\(expired); \(again)", error: "expired_token")
            return NetworkError(.validation(problem), request: error.request)
        case "invalid_grant":
            return error.explained("the server does not know the code any more", again)
        default: return error
        }
    }
}
