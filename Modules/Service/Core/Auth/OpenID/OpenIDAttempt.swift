import Crypto
import FoundationEssentials
import StrataDomain
import StrataHTTP

/// What a sign-in keeps secret until the browser comes back: state, nonce and verifier. They follow from one secret, which only a
/// cookie of the browser has.
public struct OpenIDAttempt: Sendable {
    /// Goes through the provider, and comes back with the code.
    public let state: String
    /// In the id token.
    let nonce: String
    /// Goes to the token endpoint: 43 characters (RFC 7636, section 4.1).
    let verifier: String
    private let secret: String

    private static let prefix = "slos_"

    /// An attempt with a new secret.
    public init() { self.init(secret: OpaqueToken.make(prefix: Self.prefix).reveal()) }

    /// The attempt that a browser began.
    ///
    /// - Parameters:
    ///   - cookies: The fields `Cookie` of the request.
    ///   - url: Where browsers reach the service.
    /// - Returns: `nil` without the cookie.
    public init?(cookies: [String], at url: String) {
        guard let secret = CookieField.value(of: Self.cookieName(at: url), in: cookies),
            secret.hasPrefix(Self.prefix), secret.utf8.count == Self.prefix.utf8.count + 43
        else { return nil }
        self.init(secret: secret)
    }

    private init(secret: String) {
        self.secret = secret
        // One-way, and each with a name of its own: none of them tells another one.
        func derived(_ name: String) -> String { Self.digest("openid \(name) \(secret)") }
        (state, nonce, verifier) = (derived("state"), derived("nonce"), derived("verifier"))
    }

    /// `code_challenge` with the method S256.
    var challenge: String { Self.digest(verifier) }

    private static func digest(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Data(text.utf8))) }

    /// Whether a state that came back is that of this browser.
    public func owns(state: String) -> Bool { state.utf8.elementsEqual(self.state.utf8) }

    /// The field `Set-Cookie`. Browsers send the cookie back with the redirect of the provider (`SameSite=Lax`).
    ///
    /// - Parameters:
    ///   - seconds: How long the browser keeps it.
    ///   - url: Where browsers reach the service. Over https the cookie has the prefix `__Host-`.
    public func cookie(seconds: Int, at url: String) -> String {
        "\(Self.cookieName(at: url))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
            + (Self.isSecure(url) ? "; Secure" : "")
    }

    private static func cookieName(at url: String) -> String { isSecure(url) ? "__Host-openid" : "openid" }
    private static func isSecure(_ url: String) -> Bool { url.hasPrefix("https://") }
}
