/// The rest of the pipeline, down to the transport.
public typealias Next = @Sendable (ClientRequest, @escaping Receive) async throws -> Void

/// One concern around a client call: it may change the request, answer itself, look at the response, or call `next`
/// again.
///
/// A response it keeps from `receive` is drained by it. `receive` is called once for the answer of the call; again only
/// when the earlier run threw and `CallContext.receivesOnce` is false.
public protocol Interceptor: Sendable {
    /// - Throws: What `next` and `receive` throw, or a `NetworkError` of its own.
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws

    /// Whether it ends each of its own waits at `CallContext.deadline`, so that a call needs no task that watches it.
    /// Default: no.
    var keepsDeadline: Bool { get }
}

extension Interceptor {
    public var keepsDeadline: Bool { false }
}
