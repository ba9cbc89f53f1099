import StrataDomain
import Synchronization

/// Tells those who watch a key about each value that was stored for it.
final class UpdateFeed: Sendable {
    private struct Watchers {
        var lastNumber = 0
        var receivers: [ReadKey: [Int: @Sendable (any Sendable) -> Void]] = [:]
    }

    private let watchers = Mutex(Watchers())

    func subscribe<Value: Sendable>(_ type: Value.Type, to key: CacheKey) -> AsyncStream<Snapshot<Value>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot<Value>.self, bufferingPolicy: .bufferingNewest(1))
        let watched = ReadKey(key, type)
        let number = watchers.withLock { watchers in
            watchers.lastNumber += 1
            watchers.receivers[watched, default: [:]][watchers.lastNumber] = { snapshot in
                if let snapshot = snapshot as? Snapshot<Value> { continuation.yield(snapshot) }
            }
            return watchers.lastNumber
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number, from: watched) }
        return stream
    }

    func publish<Value: Sendable>(_ snapshot: Snapshot<Value>, for key: CacheKey) {
        let receivers = watchers.withLock { $0.receivers[ReadKey(key, Value.self)] ?? [:] }
        for receive in receivers.values { receive(snapshot) }
    }

    /// How many watch `key` as `type`.
    func count<Value>(of type: Value.Type, for key: CacheKey) -> Int {
        watchers.withLock { $0.receivers[ReadKey(key, type)]?.count ?? 0 }
    }

    private func unsubscribe(_ number: Int, from key: ReadKey) {
        watchers.withLock { watchers in
            watchers.receivers[key]?[number] = nil
            if watchers.receivers[key]?.isEmpty == true { watchers.receivers[key] = nil }
        }
    }
}
