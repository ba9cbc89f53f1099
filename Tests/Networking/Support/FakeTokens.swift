import StrataConcurrency
import StrataDomain

/// A token provider with single flight, and nothing behind it.
actor FakeTokens: TokenProvider {
    private var token: String?
    private var flight: Task<String, Never>?
    private(set) var refreshes = 0
    private(set) var ended = 0
    private let refreshFailure: NetworkError?
    nonisolated let tokenAtHand: Secret?
    /// How often it was waited for.
    private(set) var asked = 0

    /// - Parameter atHand: Known without waiting.
    init(_ token: String? = "old", atHand: String? = nil, refreshFailure: NetworkError? = nil) {
        self.token = token
        tokenAtHand = atHand.map { Secret($0) }
        self.refreshFailure = refreshFailure
    }

    func currentToken() async throws(NetworkError) -> Secret? {
        asked += 1
        return token.map { Secret($0) }
    }

    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        if let refreshFailure { throw refreshFailure }
        guard token == rejected.reveal() else { return Secret(token ?? "") }
        if flight == nil {
            refreshes += 1
            let next = "new-\(refreshes)"
            flight = Task {
                await Task.yield()
                return next
            }
        }
        let fresh = await flight?.value ?? ""
        token = fresh
        flight = nil
        return Secret(fresh)
    }

    func endSession() async {
        ended += 1
        token = nil
    }
}
