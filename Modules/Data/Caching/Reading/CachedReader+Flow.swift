import StrataConcurrency
public import StrataDomain

extension CachedReader {
    /// The cached value at once, and then the server's value if it differs.
    ///
    /// One or two values; the sequence ends after the first if the server confirmed it. While the server is unreachable, the
    /// second is the cached value again, marked stale with the reason. Other failures of the fetch end the sequence, as
    /// `DomainError`. The fetch begins when the second value is asked for, and ends with the task that asks, unless another
    /// reader waits for it.
    public func cacheThenNetwork<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, options: ReadOptions = ReadOptions(),
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) -> AsyncThrowingStream<Snapshot<Value>, any Error> {
        let next = copyThenCurrent(type, key, options: options, standIn: { nil }) { _ throws(DomainError) in
            .changed(try await fetch())
        }
        let last = Mutex<Snapshot<Value>?>(nil)
        return AsyncThrowingStream(unfolding: {
            guard let value = try await next() else { return nil }
            let isConfirmed = last.withLock { last in
                defer { last = value }
                return value.confirms(last)
            }
            return isConfirmed ? nil : value
        })
    }

    /// Gives the cached value, or its stand-in, then the current value, then `nil`; `cacheThenNetwork` leaves out a current
    /// value that is equal. While this machine is offline, the current value is the copy.
    func copyThenCurrent<Value: Codable & Sendable>(
        _ type: Value.Type, _ key: CacheKey, options: ReadOptions,
        standIn: @escaping @Sendable () async -> Snapshot<Value>?, fetch: @escaping Revalidation<Value>
    ) -> @Sendable () async throws -> Snapshot<Value>? {
        let progress = Mutex(Progress<Value>.start)
        return { [self] in
            if case .start = progress.withLock({ $0 }) {
                var copy = try? await read(
                    type, key, policy: .cacheOnly, options: options, standIn: { nil }, fetch: fetch)
                if copy == nil { copy = await standIn() }
                progress.withLock { $0 = .hasCopy(copy) }
                if let copy { return copy }
            }
            let before = progress.withLock { progress in
                defer { progress = .over }
                return progress
            }
            guard case .hasCopy(let copy) = before else { return nil }
            if let copy, await isOffline { return copy.stale(because: Self.offlineReason) }
            do throws(DomainError) {
                return try await read(type, key, policy: .refresh, options: options, standIn: { nil }, fetch: fetch)
            } catch {
                // A stand-in is not stored under the key, so `read` does not know it.
                guard let copy, error.isOutage else { throw error }
                return copy.stale(because: error.description)
            }
        }
    }
}

/// How far a flow is.
private enum Progress<Value: Sendable>: Sendable {
    case start
    case hasCopy(Snapshot<Value>?)
    case over
}

extension Snapshot where Value: Codable {
    /// Whether the server's value equals the cached one.
    fileprivate func confirms(_ cached: Snapshot?) -> Bool {
        guard let cached, origin == .server else { return false }
        return areEqual(cached.value, value)
    }
}
