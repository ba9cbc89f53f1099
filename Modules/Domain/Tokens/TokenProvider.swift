/// Gives the access token of the session, and a new one after the server refused it.
public protocol TokenProvider: Sendable {
    /// The access token to send, refreshed first when it is about to expire; `nil` without a session.
    func currentToken() async throws(NetworkError) -> Secret?

    /// The result of `currentToken`, if it is available without waiting; otherwise `nil`. Default: `nil`.
    ///
    /// Most calls find their token here and need no task for their deadline.
    var tokenAtHand: Secret? { get }

    /// A token other than `rejected`, after a 401. All callers and processes share one refresh.
    ///
    /// - Throws: `.unauthorized` when the session has ended; a network error or 5xx keeps the session.
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret

    /// Ends the local session: the server refused a token that was just refreshed.
    func endSession() async

    /// The principal of `token`: equal for all tokens of one account, and different for different accounts. It depends on
    /// the token only. `nil`, the default, when unknown: then a response is cached for this token only.
    func account(of token: Secret) -> String?
}

extension TokenProvider {
    public var tokenAtHand: Secret? { nil }
    public func account(of token: Secret) -> String? { nil }
}
