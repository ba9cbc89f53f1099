import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Publishes new values of keys to their subscribers; a value equal to the last one is not published.
final class UpdateFeed: Sendable {
    private struct Watched {
        /// The last value that was published or read; `nil` before the first.
        var last: (value: any Sendable, storedAt: Date)?
        var receivers: [Int: @Sendable (any Sendable) -> Void] = [:]
    }

    private struct State {
        var lastNumber = 0
        var watched: [ReadKey: Watched] = [:]
    }

    private let state = Mutex(State())

    func subscribe<Value: Sendable>(_ type: Value.Type, to key: CacheKey) -> AsyncStream<Snapshot<Value>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot<Value>.self, bufferingPolicy: .bufferingNewest(1))
        let watched = ReadKey(key, type)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.watched[watched, default: Watched()].receivers[state.lastNumber] = { snapshot in
                if let snapshot = snapshot as? Snapshot<Value> { continuation.yield(snapshot) }
            }
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number, from: watched) }
        return stream
    }

    /// Publishes a stored value, unless it is equal to the last one.
    func publish<Value: Codable & Sendable>(_ snapshot: Snapshot<Value>, storedAt: Date, for key: CacheKey) {
        tell(snapshot, storedAt, key, isNews: true)
    }

    /// Remembers a cached value that was read. It is published only if it is newer than the last one, which means that another
    /// process stored it.
    func notice<Value: Codable & Sendable>(_ value: Value, storedAt: Date, for key: CacheKey) {
        tell(Snapshot(value, .cache(storedAt: storedAt)), storedAt, key, isNews: false)
    }

    /// Subscribers of `key` as `type`.
    func count<Value>(of type: Value.Type, for key: CacheKey) -> Int {
        state.withLock { $0.watched[ReadKey(key, type)]?.receivers.count ?? 0 }
    }

    private func tell<Value: Codable & Sendable>(
        _ snapshot: Snapshot<Value>, _ storedAt: Date, _ key: CacheKey, isNews: Bool
    ) {
        let key = ReadKey(key, Value.self)
        state.withLock { state in
            guard let watched = state.watched[key] else { return }
            if let last = watched.last, !isNews, storedAt <= last.storedAt { return }
            state.watched[key]?.last = (snapshot.value, storedAt)
            guard let last = watched.last else {
                if isNews { for receive in watched.receivers.values { receive(snapshot) } }
                return
            }
            guard let known = last.value as? Value, !areEqual(known, snapshot.value) else { return }
            // Under the lock, so that all receivers get the same order.
            for receive in watched.receivers.values { receive(snapshot) }
        }
    }

    private func unsubscribe(_ number: Int, from key: ReadKey) {
        state.withLock { state in
            state.watched[key]?.receivers[number] = nil
            if state.watched[key]?.receivers.isEmpty == true { state.watched[key] = nil }
        }
    }
}

/// Whether two values are equal: by `==`, or by their JSON if the type is not `Equatable`.
func areEqual<Value: Codable>(_ one: Value, _ other: Value) -> Bool {
    if let one = one as? any Equatable { return one.isEqual(to: other) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let one = try? encoder.encode(one), let other = try? encoder.encode(other) else { return false }
    return one == other
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
