import StrataDomain

/// A token store that calls a closure before each step, so that a test can act between two steps.
struct HookedStore: TokenStore {
    enum Step: Sendable, CaseIterable { case lock, read, write }

    private let base: any TokenStore
    private let before: @Sendable (Step) async -> Void
    var place: String { base.place }

    init(_ base: any TokenStore, before: @escaping @Sendable (Step) async -> Void) {
        self.base = base
        self.before = before
    }

    func read() async throws(TokenStoreError) -> SessionTokens? {
        await before(.read)
        return try await base.read()
    }

    func write(_ tokens: SessionTokens) async throws(TokenStoreError) {
        await before(.write)
        try await base.write(tokens)
    }

    func clear() async throws(TokenStoreError) { try await base.clear() }

    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        await before(.lock)
        return try await base.withLock(body)
    }
}
