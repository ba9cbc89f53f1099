import Crypto
import CryptoExtras
import FoundationEssentials
import StrataDomain
import StrataHTTP
import StrataTesting

@testable import StrataService

/// An OpenID provider without a socket: its documents, and keys that sign its tokens.
struct ProviderFixture: Sendable {
    static let issuer = "https://id.example"
    static let redirect = "https://shiftlog.example/signin/openid/callback"

    /// What a token is signed with.
    enum Signer: String, Sendable, CaseIterable {
        case es256 = "ES256"
        case edDSA = "EdDSA"
        case rs256 = "RS256"
        case ps256 = "PS256"
    }

    let curve = P256.Signing.PrivateKey()
    let edwards = Curve25519.Signing.PrivateKey()
    let rsa: _RSA.Signing.PrivateKey
    let attempt = OpenIDAttempt()
    let now = Date.noon

    init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    // MARK: - Documents

    /// - Parameter changes: Members with other JSON; `nil` leaves a member out.
    func discovery(_ changes: [String: String?] = [:]) -> String {
        let url = Self.issuer
        return Self.object(
            [
                "issuer": "\"\(url)\"", "authorization_endpoint": "\"\(url)/authorize\"",
                "token_endpoint": "\"\(url)/token\"", "jwks_uri": "\"\(url)/keys\"",
            ], changes)
    }

    /// The key set: a key for each algorithm, and entries that a reader must pass over.
    func keySet() throws -> String {
        let point = curve.publicKey.rawRepresentation
        let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
        let okp = Base64URL.encode(edwards.publicKey.rawRepresentation)
        let numbers = try rsa.publicKey.getKeyPrimitives()
        let (n, e) = (Base64URL.encode(numbers.modulus), Base64URL.encode(numbers.publicExponent))
        return """
            {"keys":[7,{"kty":"oct","kid":"ES256","k":"AAAA"},{"kty":"RSA","kid":"enc","use":"enc","n":"\(n)","e":"\(e)"},
            {"kty":"EC","kid":"ES256","use":"sig","crv":"P-256","x":"\(x)","y":"\(y)"},
            {"kty":"OKP","kid":"EdDSA","crv":"Ed25519","x":"\(okp)","alg":"EdDSA"},
            {"kty":"RSA","kid":"RS256","alg":"RS256","n":"\(n)","e":"\(e)"},
            {"kty":"RSA","kid":"PS256","alg":"PS256","n":"\(n)","e":"\(e)","key_ops":["verify"]}]}
            """
    }

    // MARK: - Tokens

    /// A valid id token, with changes.
    ///
    /// - Parameters:
    ///   - claims: Members with other JSON; `nil` leaves a member out.
    ///   - header: The same for the header.
    ///   - extra: Written at the end of the claims as it is.
    func token(
        _ signer: Signer = .es256, claims: [String: String?] = [:], header: [String: String?] = [:], extra: String = ""
    ) throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        var payload = Self.object(
            [
                "iss": "\"\(Self.issuer)\"", "sub": "\"248289761001\"", "aud": "\"shiftlog\"",
                "nonce": "\"\(attempt.nonce)\"", "iat": "\(seconds)", "exp": "\(seconds + 300)",
                "preferred_username": "\"ada\"",
            ], claims)
        payload = payload.dropLast() + extra + "}"
        let head = Self.object(["alg": "\"\(signer.rawValue)\"", "kid": "\"\(signer.rawValue)\""], header)
        let signed = "\(Base64URL.encode(Data(head.utf8))).\(Base64URL.encode(Data(payload.utf8)))"
        return "\(signed).\(Base64URL.encode(try signature(signer, Data(signed.utf8))))"
    }

    func signature(_ signer: Signer, _ text: Data) throws -> Data {
        switch signer {
        case .es256: try curve.signature(for: text).rawRepresentation
        case .edDSA: try edwards.signature(for: text)
        case .rs256: try rsa.signature(for: SHA256.hash(data: text), padding: .insecurePKCS1v1_5).rawRepresentation
        case .ps256: try rsa.signature(for: SHA256.hash(data: text), padding: .PSS).rawRepresentation
        }
    }

    // MARK: - The provider as the service sees it

    /// - Parameters:
    ///   - secret: Default: one, sent with HTTP Basic.
    ///   - tokens: The response of the token endpoint.
    func provider(
        secret: Secret? = Secret("it's a secret"), accounts: OpenIDOptions.Accounts = .link, _ client: ScriptedRawClient
    ) throws -> OpenIDProvider {
        OpenIDProvider(
            try OpenIDOptions(issuer: Self.issuer, clientId: "shiftlog", clientSecret: secret, accounts: accounts),
            client: client)
    }

    /// Answers as the provider does; `answer` comes first.
    func client(
        token: String, discovery: String? = nil,
        _ answer: @escaping @Sendable (String) -> RawResponse? = { _ in nil }
    ) throws -> ScriptedRawClient {
        let document = discovery ?? self.discovery()
        let keys = try keySet()
        return ScriptedRawClient(
            ScriptedRawClient.Step { call, _ in
                let path = String(call.request.url.dropFirst(Self.issuer.count))
                if let answer = answer(path) { return answer }
                let body =
                    switch path {
                    case "/.well-known/openid-configuration": document
                    case "/keys": keys
                    case "/token": #"{"access_token":"at","token_type":"Bearer","id_token":"\#(token)"}"#
                    default: ""
                    }
                return Self.response(body.isEmpty ? 404 : 200, body)
            })
    }

    static func response(_ status: Int, _ body: String, headers: HeaderFields = [:]) -> RawResponse {
        RawResponse(head: ResponseHead(status: status, headers: headers), bytes: Data(body.utf8))
    }

    /// Signs in with `token` as the result of the exchange.
    func identity(
        token: String, at now: Date? = nil, discovery: String? = nil
    ) async throws -> OpenIDIdentity {
        let provider = try provider(client(token: token, discovery: discovery))
        return try await provider.identity(code: "c", of: attempt, redirect: Self.redirect, at: now ?? self.now)
    }

    private static func object(_ members: [String: String], _ changes: [String: String?]) -> String {
        var members = members
        for (name, value) in changes { members[name] = value }
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}
