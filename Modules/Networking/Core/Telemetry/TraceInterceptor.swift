import StrataDomain

/// Tells the server which call and which trace an attempt belongs to; fields of the caller's own are left alone.
struct TraceInterceptor: Interceptor {
    let fields: CallFields
    /// The only origins that are told.
    let origins: Set<Origin>

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard origins.contains(request.url.origin) else { return try await next(request, receive) }
        var request = request
        if fields.contains(.requestId), request.headers[FieldName.requestId] == nil {
            request.headers.add(FieldName.requestId, request.context.requestId)
        }
        if fields.contains(.trace), request.headers[FieldName.traceparent] == nil {
            request.headers.add(FieldName.traceparent, request.context.trace.child().traceparent)
        }
        try await next(request, receive)
    }
}
