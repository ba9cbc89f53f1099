import StrataConcurrency
import StrataDomain

/// An ordered list of interceptors around a transport.
public struct Pipeline: Sendable {
    /// Outermost first.
    public let interceptors: [any Interceptor]
    private let first: Next

    /// - Parameter interceptors: Outermost first.
    public init(_ interceptors: [any Interceptor], transport: any Transport) {
        self.interceptors = interceptors
        var next: Next = { request, receive in try await transport.send(request, receive: receive) }
        for interceptor in interceptors.reversed() {
            let rest = next
            next = { request, receive in try await interceptor.intercept(request, receive: receive, next: rest) }
        }
        first = next
    }

    /// Sends the request through every interceptor and the transport.
    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        try await first(request, receive)
    }

    /// Sends `request` and returns what `receive` made of the response.
    ///
    /// - Throws: `.unexpected` when an interceptor neither answers nor fails.
    public func send<Result: Sendable>(
        _ request: ClientRequest, receiving receive: @escaping @Sendable (ClientResponse) async throws -> Result
    ) async throws -> Result {
        try await request.result(of: first, receiving: receive)
    }
}

extension ClientRequest {
    /// Sends the request through `next` and returns what `receive` made of the response.
    ///
    /// - Throws: `.unexpected` when an interceptor neither answers nor fails.
    func result<Result: Sendable>(
        of next: Next, receiving receive: @escaping @Sendable (ClientResponse) async throws -> Result
    ) async throws -> Result {
        let result = Mutex<Result?>(nil)
        try await next(self) { response in
            let value = try await receive(response)
            result.withLock { $0 = value }
        }
        guard let value = result.withLock({ $0 }) else {
            throw NetworkError(.unexpected("the pipeline ended without an answer"))
        }
        return value
    }
}
