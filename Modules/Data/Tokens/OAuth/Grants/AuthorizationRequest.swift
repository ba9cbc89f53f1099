import Crypto
import FoundationEssentials
import StrataDomain
import StrataHTTP
import StrataNetworking

/// One login by a browser, until its code: what is sent, and what must come back (RFC 6749, section 4.1; RFC 7636; RFC 9207). Pure.
struct AuthorizationRequest: Sendable {
    /// Where the browser brings the answer.
    let redirect: String
    /// Tells the answer of this login from any other.
    let state: String
    /// Proves at the token endpoint that the same program began the login.
    let verifier: Secret

    /// - Parameter random: 32 bytes each for state and verifier.
    init(redirect: String, random: RandomBytes) {
        self.redirect = redirect
        state = Base64URL.encode(random(32))
        verifier = Secret(Base64URL.encode(random(32)))
    }

    /// The URL to open in a browser.
    ///
    /// - Throws: `.invalidRequest` when one of `parameters` is set by the grant itself.
    func url(
        at endpoint: HTTPURL, client: String, scope: String?, parameters: [String: String]
    ) throws(NetworkError) -> String {
        let challenge = Base64URL.encode(SHA256.hash(data: Data(verifier.reveal().utf8)))
        var own: [FormText.Field] = [
            ("response_type", "code"), ("redirect_uri", redirect), ("state", state), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]
        if let scope { own.append(("scope", scope)) }
        var items = QueryItems()
        items.add("client_id", client)
        for field in try FormText.joined(own, parameters) { items.add(field.name, field.value) }
        // A query of the endpoint is kept (RFC 6749, section 3.1).
        var url = endpoint
        url.query = [endpoint.query, items.encoded].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "&")
        return url.description
    }

    /// Whether a query is the answer of this login, by its state. Any page in the browser can call the redirect URI.
    func isAnswered(by query: String) -> Bool {
        QueryItems(parsing: query)?.values("state").contains { Self.isSame($0, state) } ?? false
    }

    /// The code in the query of the answer.
    ///
    /// - Throws: `.invalidResponse` for the answer of another login or another server; the refusal of the server.
    func code(in query: String, from server: OAuthServer) throws(NetworkError) -> Secret {
        guard let items = QueryItems(parsing: query) else {
            throw NetworkError(
                .invalidResponse("the browser came back with a query that cannot be read; \(Self.again)"))
        }
        guard let answered = try Self.single("state", items), Self.isSame(answered, state) else {
            throw NetworkError(
                .invalidResponse("the browser came back with the 'state' of another login, or none; \(Self.again)"))
        }
        let refusal = try Self.single("error", items).map { code throws(NetworkError) in
            Refusal(
                code: OAuthServer.shown(code), text: try Self.single("error_description", items).map(OAuthServer.shown))
        }
        try check(issuer: try Self.single("iss", items), of: server, refusal)
        if let refusal { throw refusal.error }
        guard let code = try Self.single("code", items), !code.isEmpty else {
            throw NetworkError(.invalidResponse("the browser came back without a code; \(Self.again)"))
        }
        return Secret(code)
    }

    /// RFC 9207, section 2.4: an answer of another server must not reach this one's token endpoint. Nor may an error in it be
    /// taken for this server's, so it is only shown.
    private func check(
        issuer named: String?, of server: OAuthServer, _ refusal: Refusal?
    ) throws(NetworkError) {
        guard let issuer = server.issuer else { return }
        if let named {
            guard !named.utf8.elementsEqual(issuer.utf8) else { return }
            throw NetworkError(
                .invalidResponse(
                    "the answer of the browser is of the server '\(OAuthServer.shown(named))', not of '\(issuer)'; "
                        + Self.again))
        }
        guard server.namesIssuer else { return }
        if let refusal {
            throw NetworkError(
                .invalidResponse(
                    "the login failed with \(refusal.code)\(refusal.said); the answer does not name its server '\(issuer)', so "
                        + "another one may have sent it; \(Self.again)"))
        }
        throw NetworkError(
            .invalidResponse("the answer of the browser does not name its server '\(issuer)'; \(Self.again)"))
    }

    /// - Throws: When a parameter stands there twice (RFC 6749, section 3.1).
    private static func single(_ name: String, _ items: QueryItems) throws(NetworkError) -> String? {
        let values = items.values(name)
        guard values.count <= 1 else {
            throw NetworkError(.invalidResponse("the browser came back with '\(name)' twice; \(again)"))
        }
        return values.first
    }

    /// In a time that tells nothing about `secret`: digests are compared so.
    private static func isSame(_ text: String, _ secret: String) -> Bool {
        SHA256.hash(data: Data(text.utf8)) == SHA256.hash(data: Data(secret.utf8))
    }

    fileprivate static let again = "begin the login again"
}

/// The error in an answer of the browser (RFC 6749, section 4.1.2.1), without control characters.
private struct Refusal {
    let code: String
    let text: String?

    var said: String { text.map { ": \($0)" } ?? "" }

    var error: NetworkError {
        func problem(_ status: Int, _ detail: String) -> Problem {
            Problem(title: "Refused", status: status, detail: detail, error: code, errorDescription: text)
        }
        let again = AuthorizationRequest.again
        switch code {
        case "access_denied":
            return NetworkError(.forbidden(problem(403, "the login was refused in the browser\(said); \(again)")))
        case "server_error", "temporarily_unavailable":
            let detail = "the authorization server failed (\(code)\(said)); try again later"
            return NetworkError(.server(503, problem(503, detail)))
        default:
            return NetworkError(
                .invalidRequest(
                    "the authorization server refuses this login (\(code)\(said)); check client id and scope"))
        }
    }
}
