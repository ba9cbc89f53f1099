public import FoundationEssentials

/// Stores server responses that may be removed at any time. Damaged or mistyped data is a miss, never an error.
public protocol ResponseCache: Sendable {
    func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>?

    /// - Parameters:
    ///   - lifetime: How long the value is fresh.
    ///   - tags: Names for invalidation; values with the same tag are invalidated together.
    func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>) async
    func remove(_ key: CacheKey) async
    func removeAll(tagged tag: String) async
    func removeAll() async
    /// Removes values past their lifetime and past the time they may be served stale.
    func removeExpired() async
}

/// The key of a cached response: method, path, sorted query, and principal. Different principals never share.
public struct CacheKey: Sendable, Hashable {
    public let text: String

    public init(principal: String, method: HTTPMethod = .get, path: String, query: QueryItems = [:]) {
        let items = query.items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        text =
            "\(PercentEncoding.encode(principal)) \(method.rawValue) \(path)?\(items.sorted().joined(separator: "&"))"
    }

    /// The key of an endpoint's request.
    public init(principal: String, _ request: EndpointRequest) {
        self.init(principal: principal, method: request.method, path: request.path, query: request.query)
    }
}

public struct CachedValue<Value: Sendable>: Sendable {
    public let value: Value
    public let storedAt: Date
    public let freshUntil: Date

    public init(value: Value, storedAt: Date, freshUntil: Date) {
        self.value = value
        self.storedAt = storedAt
        self.freshUntil = freshUntil
    }

    public func isFresh(at now: Date) -> Bool { now < freshUntil && storedAt <= now }
}
