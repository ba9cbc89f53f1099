import Hummingbird

/// Puts the id of the request into its response.
struct RequestIdMiddleware: ServiceMiddleware {
    func finish(_ response: inout Response, of call: ServiceCall) {
        response.headers[.xRequestId] = call.requestId
    }
}
