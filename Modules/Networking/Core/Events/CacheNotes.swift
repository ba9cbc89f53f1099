import StrataConcurrency

/// What `Cache-Status` has no word for, noted by a cache while somebody wants to know.
///
/// A store notes it in `current`, which a `CacheReportInterceptor` sets for each call.
public final class CacheNotes: Sendable {
    /// Where the call of this task is noted; `nil` while nobody asks.
    @TaskLocal public static var current: CacheNotes?

    private let state = Mutex<(tier: String?, key: String?)>((nil, nil))

    init() {}

    /// Digest of what the answer is found by.
    public var key: String? { state.withLock(\.key) }
    public var tier: String? { state.withLock(\.tier) }

    /// The first counts: a cache may look up notes of its own after what was asked for.
    public func note(key: String) { state.withLock { $0.key = $0.key ?? key } }

    /// The tier that was read last.
    public func note(tier: String) { state.withLock { $0.tier = tier } }
}
