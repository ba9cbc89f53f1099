import StrataDomain

/// Asks for compressed answers and inflates them as they are read; what is above sees plain content.
///
/// Stays away from a call that asks for `identity`, and from answers without content or with a part of it (206). A body that
/// cannot be inflated fails when it is read, so that a status is judged first.
public struct DecompressionInterceptor: Interceptor {
    private let limit: Int

    /// - Parameter limit: Bytes one body may inflate to; more is `.invalidResponse`. Default 256 MiB, at least 1. A body of
    ///   more than 1 MiB may also not be more than 1000 times its compressed size.
    public init(limit: Int = 256 << 20) { self.limit = max(1, limit) }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        let asked = request.headers[Self.accept]?.trimmed
        if asked == nil { request.headers.add(Self.accept, "gzip, deflate") }
        guard request.method != .head, asked.map({ !$0.equalsIgnoringCase("identity") }) ?? true else {
            return try await next(request, receive)
        }
        try await next(request) { response in try await receive(inflated(response)) }
    }

    private func inflated(_ response: ClientResponse) -> ClientResponse {
        let coding = ContentCoding(response.head.headers)
        guard coding != .identity, ![204, 206, 304].contains(response.head.status) else { return response }
        var response = response
        response.head.headers["Content-Encoding"] = nil
        response.head.headers[FieldName.contentLength] = nil
        response.body = ResponseBody(InflatedBody(base: response.body, coding: coding, limit: limit))
        return response
    }

    private static let accept = "Accept-Encoding"
}
