import StrataConcurrency

/// Facts about a cached response that `Cache-Status` has no word for.
///
/// A store notes it in `current`, which a `CacheReportInterceptor` sets for each call.
public final class CacheNotes: Sendable {
    /// The notes of the call of this task; `nil` outside a `CacheReportInterceptor`.
    @TaskLocal public static var current: CacheNotes?

    private let state = Mutex<(tier: String?, key: String?)>((nil, nil))

    init() {}

    /// Digest of what the response is found by.
    public var key: String? { state.withLock(\.key) }
    /// The tier that answered, such as `memory`; `nil` if none was read.
    public var tier: String? { state.withLock(\.tier) }

    /// The first counts: a cache looks up the requested key before keys of its own.
    public func note(key: String) { state.withLock { $0.key = $0.key ?? key } }

    /// The tier that was read last.
    public func note(tier: String) { state.withLock { $0.tier = tier } }
}
