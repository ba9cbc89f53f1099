public import FoundationEssentials
import StrataCaching
public import StrataDomain

/// Where an HTTP cache keeps its responses: several of one key, each with a body.
///
/// Nothing throws: a failed read is a miss, and a failed write is lost. Implementations are bounded in bytes, safe with
/// several processes, and never return a body other than the one stored under the id.
public protocol HTTPCacheStore: Sendable {
    /// The responses stored for `key`, latest first, without bodies.
    func responses(for key: HTTPCacheKey) async -> [StoredResponse]

    /// The body of `response`; `nil` when it is gone or damaged.
    func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data?

    /// Stores `response` and its body in one step, in place of those in `replaced`.
    ///
    /// - Parameters:
    ///   - keptUntil: The response must not be used after this time, not even stale.
    ///   - tags: Names under which it is removed together with others.
    ///   - generation: Nothing is stored where it no longer holds; `nil` always stores.
    /// - Returns: Whether it is stored. One over the limit of the store is not, and those it replaces are removed.
    @discardableResult
    func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool

    /// Changes the head of a stored response, after a 304 or an invalidation; nothing happens when it is gone.
    ///
    /// - Parameter generation: Nothing changes where it no longer holds; `nil` always changes.
    /// - Returns: `false` where the generation no longer holds.
    @discardableResult
    func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool

    /// Removes the responses with these ids, and their bodies.
    func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async
    /// Removes every response of `key`.
    func removeAll(for key: HTTPCacheKey) async
    /// Advances the generation of `tag` as well.
    func removeAll(tagged tag: String) async
    /// Removes every response of every key.
    func removeAll() async
    /// Removes the responses that must not be used any more, not even stale.
    func removeExpired() async

    /// The generation of `names`: tags, and names given to `invalidate`. Read it before the request to the origin.
    func generation(of names: Set<String>) async -> HTTPCacheGeneration

    /// Advances the generation of `name`, so that the response to an earlier request is not stored.
    func invalidate(_ name: String) async

    /// Whether other processes use the store, so that leases are worth their cost.
    var isShared: Bool { get }
    /// Takes the right to ask the origin for `key`, as `ResponseCache.acquireLease` does.
    ///
    /// - Returns: `false` while another caller has it.
    func acquireLease(for key: HTTPCacheKey, in generation: CacheGeneration) async -> Bool
    /// Gives back a lease that was acquired through this store.
    func releaseLease(for key: HTTPCacheKey, in generation: CacheGeneration) async
}

extension HTTPCacheStore {
    public var isShared: Bool { false }
    public func acquireLease(for key: HTTPCacheKey, in generation: CacheGeneration) async -> Bool { true }
    public func releaseLease(for key: HTTPCacheKey, in generation: CacheGeneration) async {}
}

/// The generation of some names at one moment.
public struct HTTPCacheGeneration: Sendable, Hashable {
    /// The names that it is of.
    public let names: Set<String>
    /// The state of these names; it changes with each invalidation of one of them.
    public let generation: CacheGeneration

    /// The state `generation` of `names`.
    public init(of names: Set<String>, _ generation: CacheGeneration) {
        self.names = names
        self.generation = generation
    }
}

/// The key of stored responses: principal and target URI (RFC 9111, section 2). `Vary` selects among its responses.
public struct HTTPCacheKey: Sendable, Hashable {
    /// The partition of the cache; different principals never share. A shared cache has one.
    public let principal: String
    /// Absolute, without fragment, path and query as they were sent.
    public let url: String
    /// Of both texts; equal keys have equal digests.
    let digest: KeyDigest

    /// The key of `url` for `principal`; a shared cache uses one principal for all.
    public init(principal: String, url: String) {
        self.principal = principal
        self.url = url
        digest = KeyDigest(principal: principal, url: url)
    }

    public static func == (left: HTTPCacheKey, right: HTTPCacheKey) -> Bool { left.digest == right.digest }
    public func hash(into hasher: inout Hasher) { digest.hash(into: &hasher) }
}
