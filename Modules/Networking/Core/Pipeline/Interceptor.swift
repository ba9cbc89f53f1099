/// The rest of the pipeline, down to the transport.
public typealias Next = @Sendable (ClientRequest, @escaping Receive) async throws -> Void

/// One concern of a client call. It may change the request, look at the response, answer itself, or call `next` again.
///
/// - A response that it does not hand to `receive` is drained by it: `await response.body.drain()`.
/// - `receive` is called once for the response of the call. It is called again only when it threw before and
///   `CallContext.receivesOnce` is false.
/// - A wait of its own ends when the task is cancelled.
public protocol Interceptor: Sendable {
    /// - Throws: What `next` and `receive` throw, or a `NetworkError` of its own.
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws

    /// Whether a request leaves the interceptor with the identity that it came with: with the same URL, and the same fields
    /// that hold a credential or name a user or a tenant. Default: no.
    ///
    /// It is asked of the interceptors that stand further in than coalescing and cache, which tell calls apart by the request
    /// as it reaches them. With one that answers no, the client neither shares nor caches responses.
    var keepsIdentity: Bool { get }
}

extension Interceptor {
    public var keepsIdentity: Bool { false }
}
