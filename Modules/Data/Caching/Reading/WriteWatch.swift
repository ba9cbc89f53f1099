import StrataDomain
public import StrataNetworking

/// Reports the URL of a write to other caches, when the call has ended or failed.
///
/// A call that certainly did not reach the server, and one that was refused (4xx but for 409 and 412), changed nothing.
public struct WriteWatch: Interceptor {
    private let written: @Sendable (HTTPURL) async -> Void

    /// A watch that calls `written` with the URL of each write that may have changed something.
    public init(_ written: @escaping @Sendable (HTTPURL) async -> Void) { self.written = written }

    public var keepsIdentity: Bool { true }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard !request.method.isSafe else { return try await next(request, receive) }
        do {
            try await next(request) { [written] response in
                // Before the caller gets the response: its next read must not be served an outdated value.
                if Self.mayHaveChanged(response.head.status) { await written(request.url) }
                try await receive(response)
            }
        } catch {
            // In a task of its own, which is not cancelled: an invalidation that is cut short leaves old data.
            if (error as? NetworkError)?.isUnsent != true {
                await Task { [written] in await written(request.url) }.value
            }
            throw error
        }
    }

    private static func mayHaveChanged(_ status: Int) -> Bool {
        !(400..<500).contains(status) || status == 408 || status == 409 || status == 412
    }
}
