import Crypto
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataHTTP
import StrataService
import StrataTesting
import Testing

/// A small OpenID provider: it signs in the users that the test names, gives each code away once, and checks PKCE.
final class ProviderDouble: Sendable {
    static let issuer = "https://id.example"

    private struct Grant {
        let nonce: String
        let challenge: String
        let redirect: String
        let subject: String
        let name: String
    }

    let keys = ProviderKeys()
    private let issued = Mutex((next: IssuedToken.valid, last: ""))
    private let urls = Mutex<Set<String>>([])
    private let grants = Mutex<[String: Grant]>([:])
    private let failure = Mutex<RawResponse?>(nil)
    private let clock = Mutex<ManualWallClock?>(nil)
    private let endsSessions: Bool

    /// - Parameter endsSessions: Has a page on which users sign out.
    init(endsSessions: Bool = true) { self.endsSessions = endsSessions }

    /// The provider as a service sees it.
    func provider(_ accounts: OpenIDOptions.Accounts? = .link, rule: OpenIDRule? = nil) throws -> OpenIDProvider {
        OpenIDProvider(
            try OpenIDOptions(
                issuer: Self.issuer, clientId: "shiftlog", clientSecret: Secret("secret"), name: "Example",
                accounts: accounts),
            client: ScriptedRawClient(ScriptedRawClient.Step { [self] call, _ in try answer(call.request) }),
            rule: rule)
    }

    /// Later tokens have these claims, too: JSON by name, such as `["groups": #"["on-call"]"#]`.
    func say(_ claims: [String: String]) {
        var token = IssuedToken.valid
        token.change = { members in members.claims.merge(claims) { $1 } }
        issue(token)
    }

    /// Takes the time of its tokens from `clock`.
    func follow(_ clock: ManualWallClock) { self.clock.withLock { $0 = clock } }

    /// Every later request of the service fails with `response`; `nil` ends that.
    func fail(with response: RawResponse?) { failure.withLock { $0 = response } }

    /// The provider issues tokens of this kind from now on, and publishes the keys that go with it.
    func issue(_ token: IssuedToken) { issued.withLock { $0.next = token } }

    /// The last token that was issued.
    var lastToken: String { issued.withLock { $0.last } }

    /// Every URL that the service has asked for.
    var askedURLs: Set<String> { urls.withLock { $0 } }

    /// What the browser does at the provider.
    ///
    /// - Parameter location: Where the service sent it.
    /// - Returns: Where the provider sends it: path and query of the callback.
    func visit(_ location: String, as subject: String, name: String = "ada") throws -> String {
        let query = try #require(QueryItems(parsing: location.drop { $0 != "?" }.dropFirst()))
        func value(_ name: String) throws -> String { try #require(query.values(name).first) }
        #expect(location.hasPrefix("\(Self.issuer)/authorize?"))
        #expect(query.values("code_challenge_method") == ["S256"] && query.values("response_type") == ["code"])
        let code = "code-\(UUIDv7.string(at: .noon))"
        let grant = Grant(
            nonce: try value("nonce"), challenge: try value("code_challenge"), redirect: try value("redirect_uri"),
            subject: subject, name: name)
        grants.withLock { $0[code] = grant }
        let answer: QueryItems = ["code": code, "state": try value("state"), "iss": Self.issuer]
        let path = try #require(grant.redirect.wholeMatch(of: /https:\/\/shiftlog\.example(\/.*)/)).1
        return "\(path)?\(answer.encoded)"
    }

    private func answer(_ request: RawRequest) throws -> RawResponse {
        urls.withLock { _ = $0.insert(request.url) }
        if let failure = failure.withLock({ $0 }) { return failure }
        switch request.url.dropFirst(Self.issuer.count) {
        case "/.well-known/openid-configuration":
            let url = Self.issuer
            let end = endsSessions ? #","end_session_endpoint":"\#(url)/end?tenant=1""# : ""
            return Self.response(
                200,
                """
                {"issuer":"\(url)","authorization_endpoint":"\(url)/authorize","token_endpoint":"\(url)/token",
                "jwks_uri":"\(url)/keys","authorization_response_iss_parameter_supported":true\(end)}
                """)
        case "/keys": return Self.response(200, try issued.withLock { $0.next }.keySet(keys))
        case "/token": return try exchange(String(decoding: request.body?.bytes ?? Data(), as: UTF8.self))
        default: return Self.response(404, "")
        }
    }

    private func exchange(_ body: String) throws -> RawResponse {
        guard let form = QueryItems(parsing: body), let code = form.values("code").first,
            let grant = grants.withLock({ $0.removeValue(forKey: code) }),
            let verifier = form.values("code_verifier").first,
            ProviderKeys.base64URL(SHA256.hash(data: Data(verifier.utf8))) == grant.challenge,
            form.values("redirect_uri") == [grant.redirect]
        else { return Self.response(400, #"{"error":"invalid_grant"}"#) }
        let seconds = Int((clock.withLock { $0 }?.now ?? .noon).timeIntervalSince1970)
        let claims = [
            "iss": "\"\(Self.issuer)\"", "sub": "\"\(grant.subject)\"", "aud": "\"shiftlog\"",
            "nonce": "\"\(grant.nonce)\"", "iat": "\(seconds)", "exp": "\(seconds + 300)",
            "preferred_username": "\"\(grant.name)\"", "email": "\"root@example.com\"",
        ]
        let kind = issued.withLock { $0.next }
        let token = try kind.text(IssuedToken.Members(claims: claims, now: seconds), keys)
        issued.withLock { $0.last = token }
        return Self.response(200, kind.response(String(decoding: try JSONEncoder().encode(token), as: UTF8.self)))
    }

    static func response(_ status: Int, _ body: String) -> RawResponse {
        RawResponse(head: ResponseHead(status: status, headers: [:]), bytes: Data(body.utf8))
    }
}

/// Starts the accounts with an OpenID provider.
func withOpenID(
    _ accounts: OpenIDOptions.Accounts? = .link, rule: OpenIDRule? = nil, allowsSignIn: Bool = true,
    endsSessions: Bool = true,
    _ body: @escaping @Sendable (AccountsBackend, AccountsClient, ProviderDouble) async throws -> Void
) async throws {
    let double = ProviderDouble(endsSessions: endsSessions)
    try await withAccounts(allowsSignIn: allowsSignIn, openID: double.provider(accounts, rule: rule)) {
        backend, client in
        double.follow(backend.clock)
        try await body(backend, client, double)
    }
}

extension Browser {
    /// Goes to the provider and back.
    ///
    /// - Returns: The response to the callback, and the browser with the cookie of the attempt.
    func signIn(
        at provider: ProviderDouble, as subject: String, name: String = "ada", next: String? = nil
    ) async throws -> (AccountsClient.Reply, Browser) {
        let (callback, browser) = try await start(at: provider, as: subject, name: name, next: next)
        return (try await browser.open(callback), browser)
    }

    /// Goes to the provider.
    ///
    /// - Returns: Where the provider sends the browser, and the browser with the cookie of the attempt.
    func start(
        at provider: ProviderDouble, as subject: String, name: String = "ada", next: String? = nil
    ) async throws -> (String, Browser) {
        let query: QueryItems = next.map { ["next": $0] } ?? [:]
        let reply = try await open("/signin/openid?\(query.encoded)")
        #expect(reply.status == 303 && reply.headers["Cache-Control"] == "no-store")
        let location = try #require(reply.headers["Location"])
        return (try provider.visit(location, as: subject, name: name), try after(reply))
    }
}
