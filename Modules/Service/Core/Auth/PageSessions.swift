import Crypto
public import FoundationEssentials
import StrataDomain
import StrataHTTP

/// Sessions of browsers: rows of `Sessions` whose secret is in a cookie, instead of in tokens.
///
/// The database has only the digest of the secret. Only pages read the cookie (`APIRoutes.page`); no other endpoint
/// accepts it. Each login makes a new secret, so a cookie from before the login is worth nothing after it.
public struct PageSessions: Sendable {
    /// From the login to the end, used or not: 12 hours.
    public static let lifetimeSeconds = 43_200
    static let prefix = "slp_"

    private let name: String
    private let url: @Sendable () -> String
    private let limit: Int

    /// - Parameters:
    ///   - name: Of the cookie, where the service is reached over http. One that is no token becomes `session`.
    ///   - url: Where browsers reach the service; called for each cookie, because the port may be known late.
    ///   - limit: Most sessions of a user, those with tokens included; a new one ends the least recently used. Default 50.
    public init(name: String, at url: @escaping @Sendable () -> String, limit: Int = 50) {
        self.name = name.isToken ? name : "session"
        self.url = url
        self.limit = max(1, limit)
    }

    /// The name of the cookie. Over https it has the prefix `__Host-`, with which browsers take it from this host only.
    package var cookieName: String { isSecure ? "__Host-\(name)" : name }

    private var isSecure: Bool { url().hasPrefix("https://") }

    /// Starts a session, and ends the one that the browser had.
    ///
    /// - Parameters:
    ///   - device: Name of the session in lists.
    ///   - cookies: The fields `Cookie` of the request.
    /// - Returns: The field `Set-Cookie` of the response.
    public func begin(
        for userId: String, device: String, replacing cookies: [String], at now: Date,
        in transaction: any StoreTransaction
    ) throws -> String {
        try end(cookies, at: now, in: transaction)
        let secret = OpaqueToken.make(prefix: Self.prefix).reveal()
        _ = try Sessions.start(
            userId: userId, device: device, pageHash: OpaqueToken.digest(secret),
            until: now.addingTimeInterval(Double(Self.lifetimeSeconds)), limit: limit, at: now, in: transaction)
        return cookie(secret, seconds: Self.lifetimeSeconds)
    }

    /// The active session of a request. Reads one row by its key.
    ///
    /// - Parameter cookies: The fields `Cookie` of the request.
    /// - Returns: `nil` without the cookie, for an ended or expired session, and for fields that no browser sends.
    public func session(of cookies: [String], at now: Date, in store: any StoreReader) throws -> PageSession? {
        guard let secret = CookieField.value(of: cookieName, in: cookies), let hash = OpaqueToken.digest(secret),
            let row = try store.row(
                """
                SELECT id, user_id FROM auth_session
                WHERE page_hash = \(hash) AND ended_at IS NULL AND expires_at > \(now)
                """)
        else { return nil }
        return PageSession(id: try row.text("id"), userId: try row.text("user_id"), secret: secret)
    }

    /// Ends the session of a request, if it has one.
    ///
    /// - Returns: The field `Set-Cookie` that deletes the cookie.
    @discardableResult
    public func end(_ cookies: [String], at now: Date, in transaction: any StoreTransaction) throws -> String {
        if let session = try session(of: cookies, at: now, in: transaction) {
            try Sessions.end(session.id, because: .logout, at: now, in: transaction)
        }
        return cookie("", seconds: 0)
    }

    private func cookie(_ value: String, seconds: Int) -> String {
        "\(cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}

/// The session of a browser, and the token of its forms.
public struct PageSession: Sendable {
    /// The session.
    public let id: String
    /// The person who logged in.
    public let userId: String
    private let key: SymmetricKey

    init(id: String, userId: String, secret: String) {
        (self.id, self.userId) = (id, userId)
        key = SymmetricKey(data: Data(secret.utf8))
    }

    private static let purpose = Data("form token".utf8)

    /// What each form of a page carries, against forms of other sites (CSRF): an HMAC with the secret of the session as its
    /// key. It is the same for all forms of a session, and says nothing about the secret.
    public var formToken: String { Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Self.purpose, using: key)) }

    /// Whether `token` is the session's, compared in constant time.
    public func accepts(formToken token: String?) -> Bool {
        guard let code = token.flatMap(Base64URL.decode) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Self.purpose, using: key)
    }
}
