import StrataConcurrency
public import StrataDomain

/// A session that hands out tokens in turn, and the last one again and again.
public final class ScriptedTokens: TokenProvider {
    private struct State {
        var tokens: [String?]
        var ends: [Bool] = []
    }

    private let state: Mutex<State>
    private let refreshed: String?
    private let failure: NetworkError?
    private let owner: @Sendable (_ token: String) -> String?

    /// - Parameters:
    ///   - tokens: `nil` for a moment without a session.
    ///   - refreshed: In place of a refused token. Without one a refresh is `.unauthorized`.
    ///   - failure: Thrown by each call for a token.
    ///   - owner: The account that a token names.
    public init(
        _ tokens: String?..., refreshed: String? = nil, failure: NetworkError? = nil,
        owner: @escaping @Sendable (_ token: String) -> String? = { _ in nil }
    ) {
        state = Mutex(State(tokens: tokens))
        self.refreshed = refreshed
        self.failure = failure
        self.owner = owner
    }

    /// For each end of the session, whether the task that ended it was cancelled.
    public var ends: [Bool] { state.withLock(\.ends) }

    /// From now on the session has this token.
    public func become(_ token: String?) { state.withLock { $0.tokens = [token] } }

    public func currentToken() async throws(NetworkError) -> Secret? {
        if let failure { throw failure }
        let token = state.withLock { $0.tokens.count > 1 ? $0.tokens.removeFirst() : $0.tokens.first ?? nil }
        return token.map { Secret($0) }
    }

    public func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        guard let refreshed else { throw NetworkError(.unauthorized(nil)) }
        return Secret(refreshed)
    }

    public func endSession() async { state.withLock { $0.ends.append(Task.isCancelled) } }

    public func account(of token: Secret) -> String? { owner(token.reveal()) }
}
