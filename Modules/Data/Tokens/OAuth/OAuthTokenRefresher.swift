import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Trades refresh tokens at the token endpoint of any OAuth 2.0 server (RFC 6749, section 6).
///
/// A response without a refresh token keeps the old one. The life of an access token is `expires_in`, 0 to 366 days, or
/// `defaultLife` when the response has none; too long an assumed life costs a 401 and a refresh.
public struct OAuthTokenRefresher: TokenRefresher {
    private let client: any APIClient
    private let path: String
    private let identity: OAuthClient
    private let scope: String?
    private let defaultLife: Duration
    private let limit: Duration
    private let clock: ServerClock

    /// - Parameters:
    ///   - client: Sends to the server of the token endpoint without credentials, or the refresh would wait for itself.
    ///   - path: Of the endpoint, below the client's base URL: `/oauth/token`.
    ///   - scope: Asked for when less than before is wanted. Default: none, which means the same as before.
    ///   - defaultLife: Default one hour.
    ///   - limit: Time for one refresh, in place of the client's limits for a call and an attempt: a server that has rotated
    ///     the refresh token may take its time to answer, and the response must not be lost. Default 30 s.
    ///   - clock: As for the token provider.
    public init(
        client: any APIClient, path: String, as identity: OAuthClient, scope: String? = nil,
        defaultLife: Duration = .seconds(3600), limit: Duration = .seconds(30), clock: ServerClock = ServerClock()
    ) {
        self.client = client
        self.path = path
        self.identity = identity
        self.scope = scope
        self.defaultLife = defaultLife
        self.limit = limit
        self.clock = clock
    }

    /// - Throws: With `invalid_grant` in its problem document when the session has ended, also where a server answers
    ///   403 or, as some do, 200 with an error. `.invalidRequest` when the server refuses this client or its request
    ///   (RFC 6749, section 5.2), which no login repairs.
    public func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        let request = RefreshRequest(path: path, refresh: refresh, identity: identity, scope: scope)
        let asked = clock.now
        let response: APIResponse<JSONValue>
        do throws(NetworkError) {
            response = try await client.response(
                to: request, options: CallOptions(deadline: limit, attemptTimeout: limit))
        } catch {
            throw failure(error.hiding([refresh, identity.secret]))
        }
        let members = response.value.object ?? [:]
        guard let access = members["access_token"]?.string, !access.isEmpty else {
            throw failure(Self.refusal(in: members).hiding([refresh, identity.secret]))
        }
        if let type = members["token_type"]?.string { try Secret.checkType(type) }
        let next = members["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let issued = clock.learn(from: response.head, askedAt: asked)
        return SessionTokens(
            access: try Secret(token: access, "access token"),
            refresh: try next.map { text throws(NetworkError) in try Secret(token: text, "refresh token") } ?? refresh,
            expiresAt: issued.addingTimeInterval(life(in: members)), issuedAt: issued)
    }

    /// Seconds; some servers send them as text or with a fraction.
    private func life(in members: [String: JSONValue]) -> TimeInterval {
        let seconds: Double? =
            switch members["expires_in"] {
            case .integer(let seconds): Double(seconds)
            case .number(let seconds): seconds
            case .string(let text): Double(text)
            default: nil
            }
        guard let seconds, seconds.isFinite else { return defaultLife.inSeconds }
        return min(max(0, seconds), 366 * 86_400)
    }

    private func failure(_ error: NetworkError) -> NetworkError {
        guard let problem = error.problem, let code = problem.error else { return error }
        switch (error.kind, code) {
        case (.server, _): return error
        case (_, "invalid_grant"): return NetworkError(.validation(problem), request: error.request)
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "invalid_request"), (_, "invalid_scope"),
            (_, "unsupported_grant_type"):
            let said = problem.errorDescription.map { ", \($0)" } ?? ""
            return NetworkError(
                .invalidRequest(
                    "the token endpoint refuses this client (\(code)\(said)); check client id, secret and scope"),
                request: error.request)
        default: return error
        }
    }

    /// The error of a response without a token.
    private static func refusal(in members: [String: JSONValue]) -> NetworkError {
        guard let code = members["error"]?.string else {
            return NetworkError(.invalidResponse("the token endpoint sent no access_token"))
        }
        let text = members["error_description"]?.string
        return NetworkError(
            .validation(
                Problem(
                    title: "Refused", status: 400, detail: text,
                    error: code == "bad_refresh_token" ? "invalid_grant" : code, errorDescription: text)))
    }
}

/// `POST` of a form to a token endpoint.
private struct RefreshRequest: ManualEndpoint {
    typealias Response = JSONValue

    let path: String
    let refresh: Secret
    let identity: OAuthClient
    let scope: String?

    var method: HTTPMethod { .post }

    var headers: HeaderFields {
        var fields: HeaderFields = ["Accept": MediaType.json]
        fields["Authorization"] = identity.authorization
        return fields
    }

    func body() -> RequestBody? {
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())]
        if let scope { fields.append(("scope", scope)) }
        if case .public(let id) = identity { fields.append(("client_id", id)) }
        return FormText.body(fields)
    }
}

extension OAuthClient {
    fileprivate var secret: Secret? { if case .basic(_, let secret) = self { secret } else { nil } }
}

extension NetworkError {
    /// The error without `secrets`, which a server may have repeated in its explanation.
    fileprivate func hiding(_ secrets: [Secret?]) -> NetworkError {
        func hide(_ text: String) -> String {
            secrets.reduce(text) { text, secret in
                guard let secret = secret?.reveal(), !secret.isEmpty else { return text }
                return text.replacing(secret, with: "<secret>")
            }
        }
        func hide(_ problem: Problem?) -> Problem? {
            guard var problem else { return nil }
            problem.title = hide(problem.title)
            problem.detail = problem.detail.map(hide)
            problem.errorDescription = problem.errorDescription.map(hide)
            return problem
        }
        var error = self
        error.kind =
            switch kind {
            case .unauthorized(let problem): .unauthorized(hide(problem))
            case .forbidden(let problem): .forbidden(hide(problem))
            case .notFound(let problem): .notFound(hide(problem))
            case .conflict(let problem): .conflict(hide(problem))
            case .validation(let problem): .validation(hide(problem))
            case .status(let status, let problem): .status(status, hide(problem))
            case .server(let status, let problem): .server(status, hide(problem))
            default: kind
            }
        return error
    }
}
