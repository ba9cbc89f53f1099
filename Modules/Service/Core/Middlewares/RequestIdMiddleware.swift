import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import StrataHTTP

/// Gives every request an id for its response, problem document and log lines: the caller's `X-Request-Id` when that is a
/// short token, otherwise a new UUID.
struct RequestIdMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var response = try await next(call)
        response.headers[.xRequestId] = call.requestId
        return response
    }

    static func requestId(_ headers: HTTPFields) -> String {
        let sent = headers[values: .xRequestId]
        // A log line and a header field can show a token as it is.
        guard sent.count == 1, sent[0].utf8.count <= 64, sent[0].isToken else { return UUID().text }
        return sent[0]
    }
}
