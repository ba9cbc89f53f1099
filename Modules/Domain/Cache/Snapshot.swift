public import FoundationEssentials

/// A value together with where it came from, so that a view can say how old it is.
public struct Snapshot<Value: Sendable>: Sendable {
    public var value: Value
    public var origin: SnapshotOrigin

    public init(_ value: Value, _ origin: SnapshotOrigin) {
        self.value = value
        self.origin = origin
    }

    /// The same origin with another value.
    public func with<Other: Sendable>(_ value: Other) -> Snapshot<Other> { Snapshot<Other>(value, origin) }
}

extension Snapshot: Equatable where Value: Equatable {}

public enum SnapshotOrigin: Sendable, Hashable {
    /// Just answered by the server.
    case server
    /// Kept since `storedAt` and still fresh.
    case cache(storedAt: Date)
    /// Kept since `storedAt`, past its lifetime or unconfirmed; `reason` says why nothing newer is shown.
    case stale(storedAt: Date, reason: String)
    /// Owned here: nothing newer was asked for, and nothing needs to be.
    case local
}

/// How a read may use what is kept.
public enum ReadPolicy: Sendable, Hashable {
    /// Kept value at once, refreshed behind when it is no longer fresh.
    case cacheFirst
    /// Ask the server; fall back to the kept value, marked stale, when it cannot be reached.
    case refresh
    /// Ask the server; nothing kept stands in when it cannot be reached.
    case mustAsk
    /// Never touch the network.
    case cacheOnly
}
