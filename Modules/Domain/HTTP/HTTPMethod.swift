/// A request method (RFC 9110, section 9; PATCH: RFC 5789).
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable, Codable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// Whether the request asks only to read (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head }

    /// Whether sending twice has the effect of sending once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { self != .post && self != .patch }
}
