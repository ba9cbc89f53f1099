import Hummingbird

/// One concern around every request. Unlike Hummingbird's middleware it may run `next` in a child task, which deadlines need.
protocol ServiceMiddleware: Sendable {
    typealias Next = @Sendable (ServiceCall) async throws -> Response

    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response
}

extension [any ServiceMiddleware] {
    /// The first of the list is outermost.
    func around(_ innermost: @escaping ServiceMiddleware.Next) -> ServiceMiddleware.Next {
        reversed().reduce(innermost) { next, middleware in
            { call in try await middleware.respond(to: call, next: next) }
        }
    }
}
