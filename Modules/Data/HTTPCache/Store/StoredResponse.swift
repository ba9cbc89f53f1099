public import FoundationEssentials
public import StrataDomain

/// One stored response of an HTTP cache, without its body (RFC 9111, section 3).
///
/// It does not hold the URL, whose query may be a secret: the digest of its `HTTPCacheKey` finds it.
public struct StoredResponse: Sendable, Hashable, Codable {
    /// Names this response and its body in the store; a new one with every body that is stored.
    public var id: UUID
    public var method: String
    public var status: Int
    public var reason: String
    public var fields: HeaderFields
    /// The values of the request that `Vary` selects by, normalised; empty without `Vary`.
    public var selecting: HeaderFields
    /// Whether the request carried `Authorization`.
    public var wasAuthorized: Bool
    public var requestTime: Date
    public var responseTime: Date
    /// Bytes of the body.
    public var length: Int
    /// Where the body lies in the whole representation, for a stored 206; `nil` for a whole one.
    public var range: Range<Int>?
    /// Must be revalidated before its next use, after an unsafe method or a call of `invalidate`.
    public var isInvalidated: Bool

    public init(
        id: UUID = .random(), method: String = "GET", status: Int, reason: String = "", fields: HeaderFields = [:],
        selecting: HeaderFields = [:], wasAuthorized: Bool = false, requestTime: Date, responseTime: Date,
        length: Int = 0,
        range: Range<Int>? = nil, isInvalidated: Bool = false
    ) {
        self.id = id
        self.method = method
        self.status = status
        self.reason = reason
        self.fields = fields
        self.selecting = selecting
        self.wasAuthorized = wasAuthorized
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.length = length
        self.range = range
        self.isInvalidated = isInvalidated
    }
}
