import StrataDomain

/// Tells the server which trace an attempt belongs to; a `traceparent` of the caller's own is left alone.
struct TraceInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        if request.headers[FieldName.traceparent] == nil {
            request.headers.add(FieldName.traceparent, request.context.trace.child().traceparent)
        }
        try await next(request, receive)
    }
}
