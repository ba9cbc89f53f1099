/// Hands out the credential of the session, and a new one when the server refuses it.
public protocol TokenProvider: Sendable {
    /// The access token to send, refreshed beforehand when it is about to expire; `nil` when nobody is logged in.
    func currentToken() async throws(NetworkError) -> Secret?

    /// What `currentToken` would answer now, where that needs no waiting; `nil` where it does, which is the default.
    ///
    /// Most calls find their token here, and need no task that ends the waiting for one at their deadline.
    var tokenAtHand: Secret? { get }

    /// A token other than `rejected`, after a 401. However many callers and processes ask, one refresh is sent.
    ///
    /// - Throws: `.unauthorized` when the session has ended; a network error or 5xx keeps the session.
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret

    /// Ends the session here: the server refused a token that was just refreshed.
    func endSession() async

    /// Whose `token` is: the same for all tokens of one account, different for different accounts, and told by the token
    /// alone. `nil` when that cannot be told, which is the default: then answers are kept for this token only.
    func account(of token: Secret) -> String?
}

extension TokenProvider {
    public var tokenAtHand: Secret? { nil }
    public func account(of token: Secret) -> String? { nil }
}
