import FoundationEssentials
import StrataConcurrency

/// Keys known for a minute not to be cacheable, so that calls for them do not wait for each other (hit-for-miss).
final class HitForMiss: Sendable {
    /// Seconds.
    static let lifetime: TimeInterval = 60
    private static let mostKeys = 1024

    private let keys = Mutex<[HTTPCacheKey: Date]>([:])

    func insert(_ key: HTTPCacheKey, at now: Date) {
        keys.withLock { keys in
            if keys.count >= Self.mostKeys { keys = keys.filter { Self.holds($0.value, at: now) } }
            // With that many at once, calls wait for each other again.
            if keys.count >= Self.mostKeys { keys = [:] }
            keys[key] = now
        }
    }

    func contains(_ key: HTTPCacheKey, at now: Date) -> Bool {
        keys.withLock { keys in
            guard let time = keys[key] else { return false }
            if !Self.holds(time, at: now) { keys[key] = nil }
            return keys[key] != nil
        }
    }

    func remove(_ key: HTTPCacheKey) { keys.withLock { $0[key] = nil } }

    /// A clock that was set back ends the minute too.
    static func holds(_ time: Date, at now: Date) -> Bool { (0..<lifetime).contains(now.timeIntervalSince(time)) }
}
