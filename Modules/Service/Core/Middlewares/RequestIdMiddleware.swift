import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import StrataHTTP

/// Gives every call a name that its answer, its problem document and its log lines carry: the caller's `X-Request-Id`
/// where that is a short token, else a new one.
struct RequestIdMiddleware: ServiceMiddleware {
    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        var call = call
        call.requestId = Self.requestId(call.request.headers)
        call.logger[metadataKey: "request_id"] = "\(call.requestId)"
        if let traceId = Self.traceId(call.request.headers) { call.logger[metadataKey: "trace_id"] = "\(traceId)" }
        var response = try await next(call)
        response.headers[.xRequestId] = call.requestId
        return response
    }

    static func requestId(_ headers: HTTPFields) -> String {
        let sent = headers[values: .xRequestId]
        guard sent.count == 1, isToken(sent[0]) else { return UUID().uuidString.lowercased() }
        return sent[0]
    }

    /// 1 to 64 characters that a log line and a header field can show as they are (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isTokenByte)
    }

    /// The trace that the caller belongs to (W3C Trace Context, section 3.2); `nil` without a valid one.
    static func traceId(_ headers: HTTPFields) -> String? {
        guard let parts = headers[.traceparent]?.split(separator: "-", omittingEmptySubsequences: false),
            parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff", parts[1].utf8.count == 32,
            parts[2].utf8.count == 16, parts[1].contains(where: { $0 != "0" }),
            parts[1].utf8.allSatisfy({ ("0123456789abcdef").utf8.contains($0) })
        else { return nil }
        return String(parts[1])
    }
}
