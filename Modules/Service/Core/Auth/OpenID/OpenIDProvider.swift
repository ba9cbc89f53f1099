public import FoundationEssentials
import JWTKit
import StrataConcurrency
public import StrataDomain
import StrataHTTP

/// An OpenID provider, seen from this service, which is its relying party: the code flow of OpenID Connect Core 1.0 with PKCE
/// (RFC 7636).
///
/// The discovery document and the keys are fetched when they are first needed, and kept for an hour.
public actor OpenIDProvider {
    /// How the service is registered.
    public nonisolated let options: OpenIDOptions
    /// What happens to a user without an account.
    nonisolated let rule: OpenIDRule

    private let client: any RawClient
    private let limit: Duration
    private var metadata: (value: OpenIDMetadata, at: Date)?
    private var keys: (value: OpenIDKeys, at: Date)?
    private let fetches = SingleFlight<String, Result<Data, OpenIDError>>()

    /// How long a document is used, in seconds.
    private static let life: TimeInterval = 3600
    /// An unknown key is looked for again after so many seconds.
    private static let keyPause: TimeInterval = 60
    /// Largest response, in bytes.
    private static let largest = 256 * 1024

    /// - Parameters:
    ///   - client: Follows no redirect. The administrator chose the provider, so it may connect to any address.
    ///   - limit: The time for one request to the provider. Default 10 s.
    ///   - rule: What happens to a user without an account, where `options.accounts` is `nil`. Default: an administrator links one.
    public init(
        _ options: OpenIDOptions, client: any RawClient, limit: Duration = .seconds(10), rule: OpenIDRule? = nil
    ) {
        (self.options, self.client, self.limit) = (options, client, limit)
        self.rule =
            switch options.accounts {
            case .link: .link
            case .create: .create
            case nil: rule ?? .link
            }
    }

    /// The account that a user without one gets.
    public nonisolated func account(of user: OpenIDIdentity) -> OpenIDAccount { rule.account(user) }

    // MARK: - The two steps

    /// Where the browser goes to sign in.
    ///
    /// - Parameter redirect: The URL of the callback, as it is registered at the provider.
    /// - Throws: `OpenIDError.unavailable`.
    public func authorizationURL(
        _ attempt: OpenIDAttempt, redirect: String, at now: Date
    ) async throws(OpenIDError) -> String {
        let endpoint = try await currentMetadata(at: now).authorizationEndpoint
        return Self.url(
            endpoint,
            [
                "response_type": "code", "client_id": options.clientId, "redirect_uri": redirect,
                "scope": (["openid"] + rule.scopes).joined(separator: " "), "state": attempt.state,
                "nonce": attempt.nonce, "code_challenge": attempt.challenge, "code_challenge_method": "S256",
            ])
    }

    /// Where the browser goes to sign out of the provider, which asks its user first (OpenID Connect RP-Initiated Logout 1.0, section 2).
    ///
    /// - Parameter redirect: Where the provider sends the browser afterwards, as it is registered there.
    /// - Returns: `nil` for a provider without such a page.
    /// - Throws: `OpenIDError.unavailable`.
    public func endSessionURL(redirect: String, at now: Date) async throws(OpenIDError) -> String? {
        try await currentMetadata(at: now).endSessionEndpoint.map { endpoint in
            // Without `id_token_hint`: no token of the provider is stored.
            Self.url(endpoint, ["client_id": options.clientId, "post_logout_redirect_uri": redirect])
        }
    }

    private static func url(_ endpoint: String, _ query: QueryItems) -> String {
        endpoint + (endpoint.contains("?") ? "&" : "?") + query.encoded
    }

    /// Checks that a response to the browser comes from this provider (RFC 9207, section 2.4).
    ///
    /// - Parameter issuer: `iss` of the response.
    /// - Throws: `OpenIDError`.
    public func checkIssuer(_ issuer: String?, at now: Date) async throws(OpenIDError) {
        let isPromised = try await currentMetadata(at: now).namesIssuer
        guard let issuer else {
            guard !isPromised else { throw .refused("the response to the browser has no iss") }
            return
        }
        guard issuer.utf8.elementsEqual(options.issuer.utf8) else {
            throw .refused("the response to the browser is from another issuer")
        }
    }

    /// Exchanges a code for an id token, and verifies it.
    ///
    /// - Throws: `OpenIDError`.
    public func identity(
        code: String, of attempt: OpenIDAttempt, redirect: String, at now: Date
    ) async throws(OpenIDError) -> OpenIDIdentity {
        let tokens = try await exchange(code, attempt, redirect, at: now)
        let token = try IDToken(tokens.idToken)
        guard let key = try await verifier(of: token, at: now) else {
            throw .refused("the key of the id token is not among those of the provider")
        }
        return try token.identity(
            key,
            IDToken.Expected(
                issuer: options.issuer, clientId: options.clientId, nonce: attempt.nonce,
                accessToken: tokens.accessToken),
            at: now)
    }

    // MARK: - Token endpoint

    private struct Tokens: Decodable {
        var idToken: String
        var accessToken: String?

        private enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    private func exchange(
        _ code: String, _ attempt: OpenIDAttempt, _ redirect: String, at now: Date
    ) async throws(OpenIDError) -> Tokens {
        let metadata = try await currentMetadata(at: now)
        var form: QueryItems = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
            "code_verifier": attempt.verifier,
        ]
        var request = RawRequest(.post, metadata.tokenEndpoint, headers: ["Accept": MediaType.json])
        switch (options.clientSecret, metadata.authentication) {
        case (let secret?, .basic):
            // RFC 6749, section 2.3.1: both parts are encoded before they are joined.
            let pair = [options.clientId, secret.reveal()].map(PercentEncoding.encode).joined(separator: ":")
            request.headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        case (let secret?, .body):
            form.add("client_id", options.clientId)
            form.add("client_secret", secret.reveal())
        case (nil, _): form.add("client_id", options.clientId)
        }
        request.body = .bytes(Data(form.encoded.utf8), contentType: MediaType.form)
        let response = try await send(request)
        guard response.head.status == 200 else {
            let error = try? WireJSON.decode(Failure.self, from: response.bytes)
            let reason = "the token endpoint answered \(response.head.status)\(error?.code ?? "")"
            throw response.head.status >= 500 ? .unavailable(reason) : .refused(reason)
        }
        guard TokenForm.isPlainObject(response.bytes),
            let tokens = try? JSONDecoder().decode(Tokens.self, from: response.bytes)
        else { throw .refused("the token endpoint sent no id token") }
        return tokens
    }

    private struct Failure: Decodable {
        var error: String
        /// For the log, when it looks like a code of RFC 6749.
        var code: String {
            let isCode = error.utf8.count <= 64 && error.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
            return isCode ? " with \(error)" : ""
        }
    }

    // MARK: - Documents

    private func currentMetadata(at now: Date) async throws(OpenIDError) -> OpenIDMetadata {
        if let metadata, Self.isFresh(metadata.at, at: now, for: Self.life) { return metadata.value }
        let value = try OpenIDMetadata(try await document(OpenIDMetadata.url(of: options.issuer)), of: options)
        metadata = (value, now)
        return value
    }

    /// The key of a token. Keys that lack it are fetched again, at most once a minute.
    private func verifier(of token: IDToken, at now: Date) async throws(OpenIDError) -> (any JWTAlgorithm)? {
        if let keys, Self.isFresh(keys.at, at: now, for: Self.life) {
            if let key = await keys.value.verifier(id: token.keyId, token.algorithm) { return key }
            if Self.isFresh(keys.at, at: now, for: Self.keyPause) { return nil }
        }
        let url = try await currentMetadata(at: now).keysURL
        guard let fetched = OpenIDKeys(try await document(url)) else {
            throw .unavailable("the keys of the provider are no JSON Web Key Set")
        }
        keys = (fetched, now)
        return await fetched.verifier(id: token.keyId, token.algorithm)
    }

    /// Also false for a time in the future, of a clock that was set back.
    private static func isFresh(_ time: Date, at now: Date, for life: TimeInterval) -> Bool {
        (0..<life).contains(now.timeIntervalSince(time))
    }

    /// A document, fetched once for all that ask for it at the same time.
    private func document(_ url: String) async throws(OpenIDError) -> Data {
        let result: Result<Data, OpenIDError>
        do { result = try await fetches.value(for: url) { [self] in await fetch(url) } } catch {
            throw .unavailable("the sign-in was cancelled")
        }
        return try result.get()
    }

    private nonisolated func fetch(_ url: String) async -> Result<Data, OpenIDError> {
        do throws(OpenIDError) {
            let response = try await send(RawRequest(.get, url, headers: ["Accept": MediaType.json]))
            guard response.head.status == 200 else {
                throw .unavailable("the provider answered \(response.head.status) for \(url)")
            }
            return .success(response.bytes)
        } catch { return .failure(error) }
    }

    private nonisolated func send(_ request: RawRequest) async throws(OpenIDError) -> RawResponse {
        let options = CallOptions(deadline: .after(limit), retry: .never)
        do throws(NetworkError) {
            return try await client.collect(request, upTo: Self.largest, options: options, events: { _ in })
        } catch { throw .unavailable("no usable response of the provider: \(error.kind)") }
    }
}
