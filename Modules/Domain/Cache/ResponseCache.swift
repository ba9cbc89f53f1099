public import FoundationEssentials

/// Stores server responses that may be removed at any time. Damaged or mistyped data is a miss, never an error.
public protocol ResponseCache: Sendable {
    /// The stored value of `key`, fresh or stale; `nil` when there is none, or one of another type.
    func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>?

    /// - Parameters:
    ///   - lifetime: How long the value is fresh.
    ///   - tags: Names for invalidation; values with the same tag are invalidated together.
    ///   - generation: Read before the value was asked for. The value is not stored where its key, one of its tags or
    ///     everything was invalidated since, by this process or another. With `nil` the value is stored in any case, and
    ///     counts as an invalidation of its key.
    /// - Returns: `false` when the value is out of date.
    @discardableResult
    func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>, since generation: CacheGeneration?
    ) async -> Bool
    /// Makes a value fresh again that the server confirmed; what is stored of it stays as it is. Default: stores the value.
    ///
    /// - Parameters:
    ///   - value: As it was read. Another value, which was stored since, is left alone.
    ///   - lifetime: How long the value is fresh from now on.
    ///   - tags: Those that the value was stored with.
    ///   - generation: Read before the server was asked, as for `store`.
    /// - Returns: `false` when the value is out of date.
    @discardableResult
    func confirm<Value: Codable & Sendable>(
        _ value: CachedValue<Value>, for key: CacheKey, lifetime: Duration, tags: Set<String>,
        since generation: CacheGeneration
    ) async -> Bool
    /// Removes the value of one key.
    func remove(_ key: CacheKey) async
    /// Removes every value with the tag.
    func removeAll(tagged tag: String) async
    /// Removes every value.
    func removeAll() async
    /// Removes values past their lifetime and past the time they may be served stale.
    func removeExpired() async

    /// Another value after each invalidation of the key, of one of the tags, or of everything.
    func generation(of key: CacheKey, tags: Set<String>) async -> CacheGeneration

    /// Takes the right to fetch the value of `key` for all processes that share the cache.
    ///
    /// - Parameter generation: A fetch of an earlier generation is void, so its lease keeps no caller of a later one waiting.
    /// - Returns: `false` while another caller has it. It ends with its process at the latest.
    func acquireLease(for key: CacheKey, in generation: CacheGeneration) async -> Bool
    /// Gives back a lease that was acquired through this cache.
    func releaseLease(for key: CacheKey, in generation: CacheGeneration) async
}

extension ResponseCache {
    /// Stores a value in any case.
    public func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>
    ) async {
        await store(value, for: key, lifetime: lifetime, tags: tags, since: nil)
    }

    public func confirm<Value: Codable & Sendable>(
        _ value: CachedValue<Value>, for key: CacheKey, lifetime: Duration, tags: Set<String>,
        since generation: CacheGeneration
    ) async -> Bool {
        await store(value.value, for: key, lifetime: lifetime, tags: tags, since: generation)
    }
}

/// Tells whether something was invalidated between two moments.
public struct CacheGeneration: Sendable, Hashable {
    /// Invalidations by this process.
    public let local: Int
    /// Invalidations by all processes that share the cache; `nil` where the cache cannot tell.
    public let shared: Int64?

    /// The state of a cache: `local` of this process, `shared` of all processes that use the same file.
    public init(local: Int, shared: Int64?) {
        self.local = local
        self.shared = shared
    }
}

/// The key of a cached response: method, path, sorted query, and principal. Different principals never share.
public struct CacheKey: Sendable, Hashable {
    /// The key as one text, which is unique.
    public let text: String

    /// The key of a response: the same request by another principal has another key.
    public init(principal: String, method: HTTPMethod = .get, path: String, query: QueryItems = [:]) {
        let items = query.items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        text =
            "\(PercentEncoding.encode(principal)) \(method.rawValue) \(path)?\(items.sorted().joined(separator: "&"))"
    }

    /// The key of an endpoint's request. Header fields are not in it; a caller whose response depends on them puts them into
    /// `principal`.
    public init(principal: String, _ request: EndpointRequest) {
        self.init(
            principal: principal, method: request.method, path: request.url ?? request.path,
            query: request.url == nil ? request.query : [:])
    }
}

/// A stored value with its times.
public struct CachedValue<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// When it was stored.
    public let storedAt: Date
    /// When it stops to be fresh.
    public let freshUntil: Date

    /// A value with its times.
    public init(value: Value, storedAt: Date, freshUntil: Date) {
        self.value = value
        self.storedAt = storedAt
        self.freshUntil = freshUntil
    }

    /// Whether it is fresh; not if it was stored in the future, by a clock that was wrong.
    public func isFresh(at now: Date) -> Bool { now < freshUntil && storedAt <= now }
}
