import HTTPTypes
import Hummingbird

/// Says in every answer what is left of the caller's rate; `CallerCheck` counts, since it knows the caller.
struct RateLimitMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var response = try await next(call)
        call.notes.quota?.add(to: &response.headers)
        return response
    }
}
