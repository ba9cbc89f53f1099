import StrataDomain

/// Asks for compressed responses and inflates them as they are read.
///
/// It changes neither calls that ask for `identity` nor responses without content or with a range (206). A damaged body fails
/// when it is read.
public struct DecompressionInterceptor: Interceptor {
    private let limit: Int

    /// - Parameter limit: Bytes one body may inflate to; more is `.invalidResponse`. Default 256 MiB, at least 1.
    public init(limit: Int = 256 << 20) { self.limit = max(1, limit) }

    public var keepsIdentity: Bool { true }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        let asked = request.headers[Self.accept]?.trimmed
        if asked == nil { request.headers.add(Self.accept, "gzip, deflate") }
        guard request.method != .head, asked.map({ !$0.equalsIgnoringCase("identity") }) ?? true else {
            return try await next(request, receive)
        }
        try await next(request) { response in try await receive(inflated(response)) }
    }

    /// The response with the coding of its body undone as it is read.
    package func inflated(_ response: ClientResponse) -> ClientResponse {
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
