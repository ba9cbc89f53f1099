import Dispatch

import struct Synchronization.Atomic

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A disk tier with the queue its changes are made on: one at a time, in the order in which they were asked for.
///
/// Reads run on the caller's thread: they take less than the way to another one. Opening and repairing does not.
final class DiskAccess: Sendable {
    let tier: any DiskTier
    private let queue = DispatchQueue(label: "strata.cache.disk")
    private let trustedFor: Int
    private let seen = Atomic<Int>(0)
    private let nextLook = Atomic<Int>(0)

    /// - Parameter trustedFor: How long `version` may be late about a change by another process; zero looks every time.
    init(_ tier: any DiskTier, trustedFor: Duration) {
        self.tier = tier
        self.trustedFor = Int(trustedFor.inSeconds * 1e9)
    }

    /// The state of the disk: another number after each change. Costs a few nanoseconds while it need not be looked up.
    func version() -> Int {
        guard trustedFor > 0 else { return look() }
        let now = Self.nanoseconds()
        guard now >= nextLook.load(ordering: .relaxed) else { return seen.load(ordering: .acquiring) }
        nextLook.store(now + trustedFor, ordering: .relaxed)
        return look()
    }

    private func look() -> Int {
        if !tier.isReady { queue.async { [tier] in tier.prepare() } }
        let version = tier.version()
        seen.store(version, ordering: .releasing)
        return version
    }

    /// Reads at once from a file that is open; `nil` when `read` must open or repair it first.
    func glance<Result>(_ body: (any DiskTier) -> Result) -> Result? {
        guard tier.isReady else { return nil }
        let result = body(tier)
        return tier.isReady ? result : nil
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any DiskTier) -> Result
    ) async -> Result {
        if let result = glance(body) { return result }
        return await withCheckedContinuation { continuation in
            queue.async { [tier] in
                tier.prepare()
                continuation.resume(returning: body(tier))
            }
        }
    }

    /// Queues a change; `done` is called on the queue.
    func change(_ body: @escaping @Sendable (any DiskTier) -> Void) { queue.async { [tier] in body(tier) } }

    /// Monotonic, some milliseconds coarse: a fifth of the price of the exact one.
    private static func nanoseconds() -> Int {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #endif
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }
}
