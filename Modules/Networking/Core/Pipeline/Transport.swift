/// Receives a response while its connection is open; the body cannot be read after it returned.
public typealias Receive = @Sendable (ClientResponse) async throws -> Void

/// Sends one request, once, and follows no redirect.
///
/// The response lives as long as `receive` runs, so a connection can neither leak nor be used after it was given back.
public protocol Transport: Sendable {
    /// Sends `request` and hands the response to `receive` when its head arrived.
    ///
    /// A transport ends soon after its task is cancelled, and adds no time limit to the whole exchange.
    ///
    /// - Throws: `NetworkError` for what the transport met, `.offline` only when provably nothing was sent;
    ///   what `receive` throws, unchanged.
    func send(_ request: ClientRequest, receive: @escaping Receive) async throws
}
