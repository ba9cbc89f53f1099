import HTTPTypes
import Hummingbird

/// Adds the remaining rate of the caller to every response. `AccessControl` counts, because it knows the caller.
struct RateLimitMiddleware: ServiceMiddleware {
    func finish(_ response: inout Response, of call: ServiceCall) {
        call.notes.quota?.add(to: &response.headers)
    }
}
