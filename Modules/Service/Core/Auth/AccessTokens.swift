public import FoundationEssentials
import JWTKit
public import StrataDomain

/// Issues and verifies access tokens: JWTs after RFC 9068, signed with ES256, checked after RFC 8725.
public struct AccessTokens: Sendable {
    static let algorithm = "ES256"
    static let type = "at+jwt"

    /// How far `iat` and `nbf` may lie in the future, because the clocks of replicas differ. `exp` has no leeway.
    package static let leewaySeconds = 5.0

    /// The issuer of the tokens: the URL of this service, as in its metadata (RFC 8414, section 2).
    public var issuer: String { issuerURL() }
    /// Who the tokens are for; a token for another audience is refused.
    public let audience: String
    /// `client_id` (RFC 9068, section 2.2). Clients do not register here, so all have the same.
    public let clientId: String
    /// Lifetime of a token.
    public let lifetimeSeconds: Int

    private let issuerURL: @Sendable () -> String
    private let keys: SigningKeys
    private let signers: JWTKeyCollection
    private let verified = VerifiedTokens()

    /// - Parameters:
    ///   - issuer: `iss`; called for each token, because the port may be known late. Tokens of another issuer are refused,
    ///     and their clients refresh them.
    ///   - audience: `aud`.
    ///   - clientId: `client_id`. Default: the audience.
    ///   - lifetimeSeconds: 1 to 86,400; a value outside is moved to the nearer end. Default 900.
    public init(
        keys: SigningKeys, issuer: @escaping @Sendable () -> String, audience: String, clientId: String? = nil,
        lifetimeSeconds: Int = 900
    ) async throws {
        self.keys = keys
        issuerURL = issuer
        self.audience = audience
        self.clientId = clientId ?? audience
        self.lifetimeSeconds = min(max(1, lifetimeSeconds), 86_400)
        signers = JWTKeyCollection()
        for key in keys.keys {
            let signer = try ES256PrivateKey(backing: key.privateKey)
            await signers.add(ecdsa: signer, kid: JWKIdentifier(string: key.shown.id))
        }
    }

    /// A new token, valid for at least `lifetimeSeconds`: times are whole seconds, so `exp` is rounded up.
    public func issue(
        userId: String, sessionId: String, username: String, role: String, at now: Date
    ) async throws -> Secret {
        guard let key = keys.keys.first else { throw StoreError.failed("no signing key") }
        let seconds = now.timeIntervalSince1970
        let payload = AccessPayload(
            iss: issuer, aud: Audience(audience), clientId: clientId, sub: userId, sid: sessionId,
            jti: UUIDv7.string(at: now), name: username, role: role, iat: seconds.rounded(.down),
            nbf: nil, exp: (seconds + Double(lifetimeSeconds)).rounded(.up))
        let header: JWTHeader = ["typ": .string(Self.type)]
        return Secret(try await signers.sign(payload, kid: JWKIdentifier(string: key.shown.id), header: header))
    }

    /// The claims of `token`, once its form, key, signature and claims are valid at `now`. The caller must check whether the
    /// session is active.
    ///
    /// - Throws: 401 with `error="invalid_token"` (RFC 6750, section 3.1). The text never holds the token.
    public func verify(_ token: String, at now: Date) async throws(ServiceError) -> AccessClaims {
        let digest = VerifiedTokens.digest(token)
        let payload: AccessPayload
        if let known = verified.payload(of: digest) {
            payload = known
        } else {
            payload = try await self.payload(of: token)
            verified.insert(payload, of: digest)
        }
        if let refusal = payload.refusal(issuer: issuer, audience: audience, now: now) {
            throw .invalidToken(refusal)
        }
        return AccessClaims(
            userId: payload.sub, sessionId: payload.sid, username: payload.name, role: payload.role,
            tokenId: payload.jti, expiresAt: Date(timeIntervalSince1970: payload.exp))
    }

    /// The payload of a token whose form, key and signature are valid.
    private func payload(of token: String) async throws(ServiceError) -> AccessPayload {
        guard let form = TokenForm(token) else { throw .invalidToken("It is not an access token of this service.") }
        guard keys.key(id: form.keyId) != nil else { throw .invalidToken("Its key is unknown.") }
        do { return try await signers.verify(token, as: AccessPayload.self) } catch {
            throw .invalidToken("Its signature or its claims are not valid.")
        }
    }
}

extension ServiceError {
    /// 401 for an invalid access token (RFC 6750, section 3.1).
    ///
    /// - Parameter reason: A sentence that does not hold the token.
    public static func invalidToken(_ reason: String) -> ServiceError {
        ServiceError(
            401, code: "invalid_token", title: "Not authenticated", detail: "The access token was refused. \(reason)",
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
    }
}
