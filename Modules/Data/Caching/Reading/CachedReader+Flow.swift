public import StrataDomain

extension CachedReader {
    /// The cached value at once, and then the server's value if it differs.
    ///
    /// One or two values; the sequence ends after the first if the server confirmed it. While the server is unreachable, the
    /// second is the cached value again, marked stale with the reason. Other failures of the fetch end the sequence, as
    /// `DomainError`. Ending the loop cancels the fetch, unless another reader waits for it.
    public func cacheThenNetwork<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, options: ReadOptions = ReadOptions(),
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) -> AsyncThrowingStream<Snapshot<Value>, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
            let task = Task {
                do throws(DomainError) {
                    let cached = try? await read(type, key, policy: .cacheOnly, options: options, fetch: fetch)
                    if let cached { continuation.yield(cached) }
                    let current = try await read(type, key, policy: .refresh, options: options, fetch: fetch)
                    if !current.confirms(cached) { continuation.yield(current) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension Snapshot where Value: Codable {
    /// Whether the server's value equals the cached one.
    fileprivate func confirms(_ cached: Snapshot?) -> Bool {
        guard let cached, origin == .server else { return false }
        return areEqual(cached.value, value)
    }
}
