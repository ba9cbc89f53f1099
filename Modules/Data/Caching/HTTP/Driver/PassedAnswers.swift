import FoundationEssentials
import StrataConcurrency

/// Remembers for a minute whose answers are not ones to keep, so that nobody waits for another's (hits-for-miss).
final class PassedAnswers: Sendable {
    /// Seconds.
    static let lifetime: TimeInterval = 60
    private static let mostKeys = 1024

    private let keys = Mutex<[CacheFlights.Key: Date]>([:])

    func insert(_ key: CacheFlights.Key, at now: Date) {
        keys.withLock { keys in
            if keys.count >= Self.mostKeys { keys = keys.filter { Self.holds($0.value, at: now) } }
            // Whoever asks for so many at once is asked to wait again.
            if keys.count >= Self.mostKeys { keys = [:] }
            keys[key] = now
        }
    }

    func contains(_ key: CacheFlights.Key, at now: Date) -> Bool {
        keys.withLock { keys in
            guard let time = keys[key] else { return false }
            if !Self.holds(time, at: now) { keys[key] = nil }
            return keys[key] != nil
        }
    }

    func remove(_ key: CacheFlights.Key) { keys.withLock { $0[key] = nil } }

    /// A clock that was set back ends it too.
    static func holds(_ time: Date, at now: Date) -> Bool { (0..<lifetime).contains(now.timeIntervalSince(time)) }
}
