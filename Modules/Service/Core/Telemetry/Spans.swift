import HTTPTypes
import Hummingbird
import Instrumentation
import StrataDomain
import Tracing

/// Spans of requests and of attempts at jobs, for the tracer that the program has installed. Names and attributes follow OpenTelemetry's
/// conventions; those of HTTP servers are stable since 1.23.
///
/// They have templates of paths and no paths, and types of errors and no texts: those may hold what a user wrote.
struct Spans: Sendable {
    private let tracer: any Tracer

    /// - Returns: `nil` without a tracer: no span is made.
    init?(_ tracer: any Tracer) {
        if tracer is NoOpTracer { return nil }
        self.tracer = tracer
    }

    /// A span until the head of the response; what `body` does is inside of it. Its parent is the caller's, if the request names one.
    ///
    /// Probes have none: they come every few seconds.
    func request(_ call: ServiceCall, _ body: () async -> Response) async -> Response {
        guard !Probes.contains(call.request.head.path ?? "") else { return await body() }
        var parent = InstrumentationContext.topLevel
        tracer.extract(call.request.headers, into: &parent, using: FieldExtractor())
        let known = MetricsMiddleware.knownName(of: call.request.method)
        // The convention's words for a method that it does not know.
        let name = known ?? "HTTP"
        return await tracer.withSpan(name, context: parent, ofKind: .server) { span in
            let response = await body()
            if let route = call.notes.route {
                span.operationName = "\(name) \(route)"
                span.attributes["http.route"] = route
            }
            span.attributes["http.request.method"] = known ?? "_OTHER"
            span.attributes["http.response.status_code"] = response.status.code
            if !call.origin.address.isEmpty { span.attributes["client.address"] = call.origin.address }
            span.attributes["http.request.header.x-request-id"] = [call.requestId]
            if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
            return response
        }
    }

    /// A span of one attempt at a job.
    ///
    /// - Parameter body: Returns what the attempt failed with.
    func attempt(at job: ClaimedJob, _ body: () async -> (any Error)?) async {
        await tracer.withSpan("process \(job.kind)", context: .topLevel, ofKind: .consumer) { span in
            span.attributes["messaging.operation.type"] = "process"
            span.attributes["messaging.destination.name"] = job.kind
            span.attributes["messaging.message.id"] = job.lease.id
            span.attributes["strata.job.attempt"] = job.lease.attempt
            if let failure = await body() {
                span.attributes["error.type"] = "\(type(of: failure))"
                span.setStatus(SpanStatus(code: .error))
            }
        }
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }
    }
}
