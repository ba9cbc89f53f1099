public import FoundationEssentials

/// Where an HTTP cache keeps its responses: several of one key, each with a body.
///
/// Nothing throws: what cannot be read is a miss, and what cannot be written is lost, as a cache may. Implementations are
/// bounded in bytes, safe with several processes, and never answer with a body that is not the one stored under the id.
public protocol HTTPCacheStore: Sendable {
    /// What is stored for `key`, latest first, without bodies.
    func responses(for key: HTTPCacheKey) async -> [StoredResponse]

    /// The body of `response`; `nil` when it is gone or damaged.
    func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data?

    /// Stores `response` and its body in one step, in place of those in `replaced`.
    ///
    /// - Parameters:
    ///   - keptUntil: After this nobody can use it any more, not even stale.
    ///   - tags: Names under which it is removed together with others.
    /// - Returns: Whether it is kept; one larger than the store allows is not, and those it replaces are gone.
    @discardableResult
    func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>
    ) async -> Bool

    /// Changes the head of a stored response (after a 304, or an invalidation); nothing happens when it is gone.
    func update(_ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date) async

    func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async
    func removeAll(for key: HTTPCacheKey) async
    func removeAll(tagged tag: String) async
    func removeAll() async
    func removeExpired() async
}

/// What stored responses are found by: for whom, and the target URI (RFC 9111, section 2). `Vary` selects among them.
public struct HTTPCacheKey: Sendable, Hashable {
    /// Whose answers these are; different principals never share. A shared cache has one.
    public let principal: String
    /// Absolute, without fragment, path and query as they were sent.
    public let url: String
    /// Of both. It is made once for all look-ups of a call, in memory and on disk, and stands for the texts in each.
    let digest: KeyDigest

    public init(principal: String, url: String) {
        self.principal = principal
        self.url = url
        digest = KeyDigest(principal: principal, url: url)
    }

    public static func == (left: HTTPCacheKey, right: HTTPCacheKey) -> Bool { left.digest == right.digest }
    public func hash(into hasher: inout Hasher) { digest.hash(into: &hasher) }
}
