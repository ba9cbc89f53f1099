import StrataConcurrency
public import StrataDomain

/// The session of one process, kept in memory: it ends with the process, and nothing is written anywhere.
public final class InMemoryTokenStore: TokenStore {
    private let tokens: Mutex<SessionTokens?>
    private let lock = FairSemaphore(permits: 1)

    /// - Parameter tokens: The session to begin with. Default: none.
    public init(_ tokens: SessionTokens? = nil) { self.tokens = Mutex(tokens) }

    public var place: String { "memory of this process" }

    public func read() async throws(TokenStoreError) -> SessionTokens? { tokens.withLock { $0 } }
    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) { self.tokens.withLock { $0 = tokens } }
    public func clear() async throws(TokenStoreError) { tokens.withLock { $0 = nil } }

    public func withLock<Result: Sendable>(_ body: LockedWork<Result>) async throws -> Result {
        try await lock.withPermit(body)
    }
}
