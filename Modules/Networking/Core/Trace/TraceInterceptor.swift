import StrataDomain

/// Tells the server which trace an attempt belongs to; a `traceparent` of the caller's own is left alone.
struct TraceInterceptor: Step {
    func begin(_ request: inout ClientRequest) {
        guard request.headers[FieldName.traceparent] == nil else { return }
        request.headers.add(FieldName.traceparent, request.context.trace.child().traceparent)
    }
}
