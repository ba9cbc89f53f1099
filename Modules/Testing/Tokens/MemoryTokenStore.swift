import StrataConcurrency
public import StrataDomain
import StrataNetworking

/// A token store without a disk; can be told to fail.
public final class MemoryTokenStore: TokenStore {
    private struct State {
        var tokens: SessionTokens?
        var failure: TokenStoreError?
        var writes: [SessionTokens?] = []
    }

    private let state: Mutex<State>
    private let lock = FairSemaphore(permits: 1)

    /// A store with these tokens; empty by default.
    public init(_ tokens: SessionTokens? = nil) { state = Mutex(State(tokens: tokens)) }

    public var place: String { "memory" }

    /// While set, every read and write throws it.
    public var failure: TokenStoreError? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    /// What was written, in order; `nil` for a clear.
    public var writes: [SessionTokens?] { state.withLock(\.writes) }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        let (tokens, failure) = state.withLock { ($0.tokens, $0.failure) }
        if let failure { throw failure }
        return tokens
    }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) { try put(tokens) }

    public func clear() async throws(TokenStoreError) { try put(nil) }

    public func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await lock.withPermit(body)
    }

    private func put(_ tokens: SessionTokens?) throws(TokenStoreError) {
        let failure = state.withLock { state in
            guard state.failure == nil else { return state.failure }
            state.tokens = tokens
            state.writes.append(tokens)
            return nil
        }
        if let failure { throw failure }
    }
}
