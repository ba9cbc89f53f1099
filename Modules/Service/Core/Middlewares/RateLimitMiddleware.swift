import HTTPTypes
import Hummingbird

/// Adds the remaining rate of the caller to every response. `AccessControl` counts, because it knows the caller.
struct RateLimitMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var response = try await next(call)
        call.notes.quota?.add(to: &response.headers)
        return response
    }
}
