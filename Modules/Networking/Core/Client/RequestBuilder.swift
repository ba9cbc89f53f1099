import FoundationEssentials
import StrataDomain

/// Turns endpoints into requests: base URL, default headers, identity of the call.
struct RequestBuilder: Sendable {
    let base: HTTPURL
    let options: ClientOptions
    let resilience: Resilience
    let events: EventSink

    /// - Throws: `.invalidRequest` for an endpoint that does not fit its route, or a header that cannot be sent.
    func request<E: Endpoint>(
        for endpoint: E, _ call: CallOptions, receivesOnce: Bool
    ) throws(NetworkError) -> ClientRequest {
        let parts: EndpointRequest
        do { parts = try endpoint.request() } catch { throw NetworkError(.invalidRequest(error.description)) }
        let summary = "\(parts.method.rawValue) \(parts.path)"
        guard parts.path.hasPrefix("/"), parts.path.utf8.allSatisfy(Self.isPathByte) else {
            throw NetworkError(
                .invalidRequest("path '\(parts.path)' must start with '/' and be percent-encoded"), request: summary)
        }
        let key = call.idempotencyKey ?? parts.headers[FieldName.idempotencyKey]
        let context = CallContext(
            requestId: parts.headers[FieldName.requestId] ?? UUID().uuidString.lowercased(), summary: summary,
            endpoint: "\(E.self)", idempotencyKey: key,
            deadline: Deadline(in: call.deadline ?? resilience.options.deadline, on: resilience.time),
            attemptTimeout: call.attemptTimeout, receivesOnce: receivesOnce, events: events)
        let headers = fields(of: parts, in: context)
        if let field = headers.first(where: { !$0.isSendable }) {
            throw NetworkError(
                .invalidRequest("header '\(field.name)' has an illegal character in its name or value"),
                request: summary)
        }
        return ClientRequest(
            parts.method, url(of: parts), headers: headers, body: parts.body.map { .bytes($0.bytes) }, context: context)
    }

    private func url(of parts: EndpointRequest) -> HTTPURL {
        let prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        return HTTPURL(
            origin: base.origin, path: prefix + parts.path,
            query: parts.query.items.isEmpty ? nil : parts.query.encoded)
    }

    private func fields(of parts: EndpointRequest, in context: CallContext) -> HeaderFields {
        var headers = options.headers
        if let body = parts.body { headers[FieldName.contentType] = body.contentType }
        headers.overlay(parts.headers)
        headers[FieldName.requestId] = context.requestId
        if let key = context.idempotencyKey { headers[FieldName.idempotencyKey] = key }
        return headers
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        HTTPURL.isURLByte(byte) && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }
}
