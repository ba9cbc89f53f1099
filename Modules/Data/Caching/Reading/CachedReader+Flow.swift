public import StrataDomain

extension CachedReader {
    /// The kept value at once, and then the server's value if it differs.
    ///
    /// One or two values; when the sequence ends after the first, the server has confirmed it. While the server is away the
    /// second is the kept value again, marked stale with the reason. Other failures of the fetch end the sequence, as
    /// `DomainError`. Ending the loop cancels the fetch, unless another reader waits for it.
    public func cacheThenNetwork<Value: Codable & Sendable>(
        _ type: Value.Type = Value.self, _ key: CacheKey, options: ReadOptions = ReadOptions(),
        fetch: @escaping @Sendable () async throws(DomainError) -> Value
    ) -> AsyncThrowingStream<Snapshot<Value>, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
            let task = Task {
                do throws(DomainError) {
                    let kept = try? await read(type, key, policy: .cacheOnly, options: options, fetch: fetch)
                    if let kept { continuation.yield(kept) }
                    let current = try await read(type, key, policy: .refresh, options: options, fetch: fetch)
                    if !current.confirms(kept) { continuation.yield(current) }
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
    /// Whether the server's value equals the kept one.
    fileprivate func confirms(_ kept: Snapshot?) -> Bool {
        guard let kept, origin == .server else { return false }
        return areEqual(kept.value, value)
    }
}
