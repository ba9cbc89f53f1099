/// Hands out the credential of the session, and a new one when the server refuses it.
public protocol TokenProvider: Sendable {
    /// The access token to send, refreshed beforehand when it is about to expire; `nil` when nobody is logged in.
    func currentToken() async throws(NetworkError) -> Secret?

    /// A token other than `rejected`, after a 401. However many callers and processes ask, one refresh is sent.
    ///
    /// - Throws: `.unauthorized` when the session has ended; a network error or 5xx keeps the session.
    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret

    /// Ends the session here: the server refused a token that was just refreshed.
    func endSession() async
}
