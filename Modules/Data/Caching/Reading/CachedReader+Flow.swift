public import StrataDomain

extension CachedReader {
    /// What is kept, at once, and then what the server says, if that is something else.
    ///
    /// One or two values; when it ends after the first, the server has confirmed it. While the server is away the second
    /// is the first again, marked stale with the reason. Fails with what the server's answer fails with otherwise, as
    /// `DomainError`. Ending the loop cancels the fetch if nobody else wants it.
    public nonisolated func cacheThenNetwork<Value: Codable & Sendable>(
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
    /// Whether it is the server's word for the value that was kept.
    fileprivate func confirms(_ kept: Snapshot?) -> Bool {
        guard let kept, origin == .server else { return false }
        return areEqual(kept.value, value)
    }
}
