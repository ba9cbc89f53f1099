/// Receives a response while its connection is open; the body cannot be read after it returned.
public typealias Receive = @Sendable (ClientResponse) async throws -> Void

/// Sends one request, once, and follows no redirect.
///
/// The response lives as long as `receive` runs, so a connection can neither leak nor be used after it was given back.
public protocol Transport: Sendable {
    /// Sends `request` and hands the response to `receive` when its head arrived.
    ///
    /// A transport ends soon after its task is cancelled, and adds no time limit to the whole exchange. One that
    /// `keepsLimits` throws `.timeout` when the head has not arrived by `ClientRequest.headLimit`, and lets reading the body
    /// throw it when that has not arrived by `ClientRequest.bodyLimit`.
    ///
    /// - Throws: `NetworkError` for what the transport met, `.offline` only when provably nothing was sent;
    ///   what `receive` throws, unchanged.
    func send(_ request: ClientRequest, receive: @escaping Receive) async throws

    /// Whether the transport ends the wait for a response at the limits of the request. If not, the pipeline watches each
    /// attempt with a task. Default: no.
    var keepsLimits: Bool { get }
}

extension Transport {
    public var keepsLimits: Bool { false }
}
