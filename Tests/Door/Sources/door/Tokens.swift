import StrataDomain
import StrataTokens

/// Tokens in memory.
actor Tokens: TokenStore, TokenProvider {
    private var tokens: SessionTokens?
    private var isLocked = false

    init(_ tokens: SessionTokens?) { self.tokens = tokens }

    nonisolated var place: String { "memory" }
    nonisolated var isReadOnly: Bool { false }

    func read() async throws(TokenStoreError) -> SessionTokens? { tokens }
    func reserve() async throws(TokenStoreError) {}
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) { self.tokens = tokens }
    func clear() async throws(TokenStoreError) { tokens = nil }

    func withLock<Result: Sendable>(_ body: LockedWork<Result>) async throws -> Result {
        while isLocked { await Task.yield() }
        isLocked = true
        defer { isLocked = false }
        return try await body()
    }

    func currentToken() async throws(NetworkError) -> Secret? { tokens?.access }
    nonisolated var tokenAtHand: Secret? { nil }
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret { rejected }
    func endSession() async { tokens = nil }
    nonisolated func account(of token: Secret) -> String? { nil }
}

struct Refresher: TokenRefresher {
    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens {
        throw NetworkError(.offline("no server"))
    }

    var issue: IssueTokens? { nil }
}
