/// A request method: any token (RFC 9110, sections 5.6.2 and 9; PATCH: RFC 5789). Case counts.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    /// Reads; safe and idempotent.
    public static let get = Self(unchecked: "GET")
    /// Reads the head of a response only; safe and idempotent.
    public static let head = Self(unchecked: "HEAD")
    /// Creates, or does what no other method means; neither safe nor idempotent.
    public static let post = Self(unchecked: "POST")
    /// Replaces; idempotent.
    public static let put = Self(unchecked: "PUT")
    /// Changes a part; neither safe nor idempotent.
    public static let patch = Self(unchecked: "PATCH")
    /// Removes; idempotent.
    public static let delete = Self(unchecked: "DELETE")

    /// The methods of endpoints.
    public static let common: [Self] = [.get, .head, .post, .put, .patch, .delete]

    /// - Returns: `nil` unless `rawValue` is a token: one or more of letters, digits, the backtick and `!#$%&'*+-.^_|~`.
    public init?(rawValue: String) {
        guard rawValue.isToken else { return nil }
        self.init(unchecked: rawValue)
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// Whether the request only reads (RFC 9110, section 9.2.1); `false` for a method that is not in the registry.
    public var isSafe: Bool { Self.safe.contains(rawValue) }

    /// Whether sending twice has the effect of sending once (RFC 9110, section 9.2.2); `false` for a method that is not in
    /// the registry.
    public var isIdempotent: Bool { isSafe || Self.idempotent.contains(rawValue) }

    // The registry of methods: iana.org/assignments/http-methods.
    private static let safe: Set = [
        "GET", "HEAD", "OPTIONS", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE",
    ]
    private static let idempotent: Set = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "LABEL", "LINK", "MERGE",
        "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPPATCH", "PUT",
        "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]
}
