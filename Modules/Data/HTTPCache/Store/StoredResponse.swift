public import FoundationEssentials
public import StrataDomain

/// One stored response of an HTTP cache, without its body (RFC 9111, section 3).
///
/// It does not hold the URL, whose query may be a secret: the digest of its `HTTPCacheKey` finds it.
public struct StoredResponse: Sendable, Hashable, Codable {
    /// Names this response and its body in the store; a new one with every body that is stored.
    public var id: UUID
    /// The method of the request, such as `GET`.
    public var method: String
    /// The status of the response.
    public var status: Int
    /// The reason phrase; empty where the protocol has none.
    public var reason: String
    /// The fields of the response, as they are stored.
    public var fields: HeaderFields
    /// The values of the request that `Vary` selects by, normalised; empty without `Vary`.
    public var selecting: HeaderFields
    /// Whether the request carried `Authorization`.
    public var wasAuthorized: Bool
    /// When the request was sent, by the clock of the cache.
    public var requestTime: Date
    /// When the response arrived, by the clock of the cache.
    public var responseTime: Date
    /// Bytes of the body.
    public var length: Int
    /// Where the body lies in the whole representation, for a stored 206; `nil` for a whole one.
    public var range: Range<Int>?
    /// Must be revalidated before its next use, after an unsafe method or a call of `invalidate`.
    public var isInvalidated: Bool

    /// A response with these parts; the store keeps its body beside it.
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
