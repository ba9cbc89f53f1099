import StrataConcurrency

/// The check that the caller of one request is who it is expected to be. The first read of the request makes it.
final class CallerCheck: Sendable {
    /// The caller is not the expected one: the request must be authorized anew, and nothing of it may be shown.
    struct Failed: Error {}

    private let condition: ReadCondition
    private let isMade = Mutex(false)

    init(_ expected: ExpectedPrincipal) {
        let check = expected.condition.check
        condition = ReadCondition(expected.condition.statement) { row in
            do { try check(row) } catch { throw Failed() }
        }
    }

    /// Reads as `store` does; the first read makes the check.
    ///
    /// - Throws: `Failed`.
    func read<Result: Sendable>(
        _ store: any Store, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        guard !isMade.withLock({ $0 }) else { return try await store.read(body) }
        let outcome = try await store.read(if: condition) { reader in Swift.Result { try body(reader) } }
        isMade.withLock { $0 = true }
        return try outcome.get()
    }

    /// Makes the check alone, if no read has made it.
    ///
    /// - Throws: `Failed`.
    func make(in store: any Store) async throws { try await read(store) { _ in } }
}
