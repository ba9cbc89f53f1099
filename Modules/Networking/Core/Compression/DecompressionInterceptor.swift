import StrataDomain

/// Asks for compressed answers and inflates them as they are read; what is above sees plain content.
///
/// Stays away from a call that asks for `identity`, and from answers without content or with a part of it (206). A body that
/// cannot be inflated fails when it is read, so that a status is judged first.
public struct DecompressionInterceptor: Step {
    private let limit: Int

    /// - Parameter limit: Bytes one body may inflate to; more is `.invalidResponse`. Default 256 MiB, at least 1. A body of
    ///   more than 1 MiB may also not be more than 1000 times its compressed size.
    public init(limit: Int = 256 << 20) { self.limit = max(1, limit) }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await run(request, receive: receive, next: next)
    }

    /// - Returns: Whether a body that comes back is plain or may be inflated.
    func begin(_ request: inout ClientRequest) -> Bool {
        guard let asked = request.headers[Self.accept]?.trimmed else {
            request.headers.add(Self.accept, "gzip, deflate")
            return request.method != .head
        }
        return !asked.equalsIgnoringCase("identity") && request.method != .head
    }

    func pass(_ response: inout ClientResponse, _ inflates: inout Bool) -> Bool {
        guard inflates, ![204, 206, 304].contains(response.head.status) else { return true }
        let coding = ContentCoding(response.head.headers)
        guard coding != .identity else { return true }
        response.head.headers["Content-Encoding"] = nil
        response.head.headers[FieldName.contentLength] = nil
        response.body = ResponseBody(InflatedBody(base: response.body, coding: coding, limit: limit))
        return true
    }

    private static let accept = "Accept-Encoding"
}
