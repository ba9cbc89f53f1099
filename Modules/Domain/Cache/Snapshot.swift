public import FoundationEssentials

/// A value with its origin, so that a view can show its age.
public struct Snapshot<Value: Sendable>: Sendable {
    /// What is shown.
    public var value: Value
    /// Where it comes from, and how old it may be.
    public var origin: SnapshotOrigin

    /// A value with its origin.
    public init(_ value: Value, _ origin: SnapshotOrigin) {
        self.value = value
        self.origin = origin
    }

    /// The same origin with another value.
    public func with<Other: Sendable>(_ value: Other) -> Snapshot<Other> { Snapshot<Other>(value, origin) }
}

extension Snapshot: Equatable where Value: Equatable {}

/// Where a shown value comes from.
public enum SnapshotOrigin: Sendable, Hashable {
    /// From the server, just now.
    case server
    /// Stored at `storedAt` and fresh.
    case cache(storedAt: Date)
    /// Stored at `storedAt`, stale or not revalidated; `reason` says why no newer value is shown.
    case stale(storedAt: Date, reason: String)
    /// Local data, which no request refreshes.
    case local
}

/// How a read uses the cache.
public enum ReadPolicy: Sendable, Hashable {
    /// The cached value at once; a stale one is refreshed in the background.
    case cacheFirst
    /// The server's value; the cached value, marked stale, when the server cannot be reached.
    case refresh
    /// The server's value only.
    case mustAsk
    /// The cached value only, without a request.
    case cacheOnly
}
