import Hummingbird

/// Puts the id of the request into its response.
struct RequestIdMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var response = try await next(call)
        response.headers[.xRequestId] = call.requestId
        return response
    }
}
