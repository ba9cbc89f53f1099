/// How long a value may be used, and how long a read waits for a new one.
public struct ReadOptions: Sendable, Hashable {
    /// How long a fetched value counts as fresh.
    public var lifetime: Duration
    /// Names under which the value is invalidated together with others.
    public var tags: Set<String>
    /// How long after its lifetime a value is served while a new one is fetched; `nil` as long as it is stored.
    public var staleWhileRevalidate: Duration?
    /// How long after its lifetime a value is served while the server is unreachable; `nil` as long as it is stored.
    public var staleIfError: Duration?
    /// How long a read waits for the server if a copy can stand in for the value, such as an entity in a stored list.
    /// Default 150 ms.
    public var patience: Duration

    /// The standard times, but for those that are given.
    public init(
        lifetime: Duration = CachedReader.standardLifetime, tags: Set<String> = [],
        staleWhileRevalidate: Duration? = nil, staleIfError: Duration? = nil, patience: Duration = .milliseconds(150)
    ) {
        self.lifetime = lifetime
        self.tags = tags
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.patience = patience
    }
}
