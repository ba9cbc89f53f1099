import StrataConcurrency
public import StrataDomain

/// A store that starts with the tokens of another, read-only one: a service gets a refresh token as a credential, and stores
/// the tokens that it gets for it in its state directory.
///
/// After `clear` the seed is not read until the next start of the program, which tries the operator's credential again.
public final class SeededTokenStore: TokenStore {
    private let base: any TokenStore
    private let seed: any TokenStore
    private let isSpent = Mutex(false)

    /// - Parameters:
    ///   - base: Holds the tokens; all writes go there.
    ///   - seed: Is asked when `base` has none.
    public init(_ base: any TokenStore, seed: any TokenStore) {
        self.base = base
        self.seed = seed
    }

    public var place: String { "\(base.place), begun with \(seed.place)" }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        if let tokens = try await base.read() { return tokens }
        return isSpent.withLock { $0 } ? nil : try await seed.read()
    }

    public func reserve() async throws(TokenStoreError) { try await base.reserve() }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) { try await base.write(tokens) }

    public func clear() async throws(TokenStoreError) {
        isSpent.withLock { $0 = true }
        try await base.clear()
    }

    public func withLock<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result { try await base.withLock(body) }
}
