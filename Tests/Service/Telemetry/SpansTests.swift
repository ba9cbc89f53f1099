import FoundationEssentials
import HTTPTypes
import InMemoryTracing
import StrataFeatureTesting
import StrataTesting
import Testing
import Tracing

@testable import StrataService

struct SpansTests {
    private func spans(
        _ body: @escaping @Sendable (Client) async throws -> Void
    ) async throws -> [FinishedInMemorySpan] {
        let tracer = InMemoryTracer()
        try await withService(configure: { $0.tracer = tracer }) { _, client in try await body(client) }
        return tracer.finishedSpans
    }

    @Test func `a request is a span with the template of its route, and no path and no query`() async throws {
        let spans = try await spans { client in
            _ = try await client.send(.get, "/v1/notes/a-secret?text=hunter2")
        }
        let span = try #require(spans.first)
        #expect(spans.count == 1)
        #expect(span.operationName == "GET /v1/notes/{id}")
        #expect(span.kind == .server)
        #expect(span.attributes.get("http.response.status_code") == .int64(404))
        #expect(span.attributes.get("http.route") == .string("/v1/notes/{id}"))
        #expect(span.status == nil)
        #expect(!"\(span)".contains("secret") && !"\(span)".contains("hunter2"))
    }

    @Test func `the span of the caller is its parent`() async throws {
        let spans = try await spans { client in
            let fields: HTTPFields = [
                HTTPField.Name(InMemoryTracer.traceIDKey)!: "trace",
                HTTPField.Name(InMemoryTracer.spanIDKey)!: "caller",
            ]
            _ = try await client.send(.get, "/v1/notes", headers: fields)
        }
        #expect(spans.map(\.traceID) == ["trace"])
        #expect(spans.map(\.parentSpanID) == ["caller"])
    }

    @Test func `a failed request is an error, and a made-up method one word`() async throws {
        let spans = try await spans { client in
            _ = try await client.send(.init("HUNTER")!, "/v1/nowhere")
            _ = try await client.send(.get, "/v1/fail/away")
        }
        #expect(spans.first?.attributes.get("http.request.method") == .string("_OTHER"))
        #expect(spans.map(\.operationName) == ["HTTP", "GET /v1/fail/{how}"])
        #expect(spans.map { $0.status?.code } == [nil, .error])
        #expect(!"\(spans)".contains("secret"))
    }

    @Test func `probes are no spans`() async throws {
        let spans = try await spans { client in
            for path in ["/health/live", "/health/ready?verbose", "/metrics"] {
                _ = try await client.send(.get, path, as: nil)
            }
        }
        #expect(spans.isEmpty)
    }

    @Test func `an attempt at a job is a span, and its failure an error`() async throws {
        struct Trouble: Error, CustomStringConvertible { let description = "https://example.com/?token=hunter2" }
        let tracer = InMemoryTracer()
        try await withJobs(.sqlite) { rig in
            try await rig.enqueue(Memo("good"), Memo("bad"))
            let handler = JobHandler(Memo.self) { memo, _ in
                #expect(InstrumentationContext.current?.inMemorySpanContext != nil)
                if memo.text == "bad" { throw Trouble() }
            }
            try await rig.runner([handler], spans: Spans(tracer)).settle()
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["process memo", "process memo"])
        #expect(spans.allSatisfy { $0.kind == .consumer && $0.attributes.get("strata.job.attempt") == .int64(1) })
        let failed = spans.filter { $0.status?.code == .error }
        #expect(failed.map { $0.attributes.get("error.type") } == [.string("Trouble")])
        #expect(!"\(failed)".contains("hunter2"))
        #expect(!"\(spans.map(\.attributes))".contains("good"))
    }

    @Test func `what happens after the end of a job is no error`() async throws {
        struct Late: Error {}
        let tracer = InMemoryTracer()
        try await withJobs(.sqlite) { rig in
            try await rig.enqueue(Memo("good"))
            let handler = JobHandler(Memo.self) { _, run in
                try await run.finish { _ in }
                throw Late()
            }
            try await rig.runner([handler], spans: Spans(tracer)).settle()
        }
        #expect(tracer.finishedSpans.count == 1)
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
    }

    @Test func `without a tracer there is nothing to do`() {
        #expect(Spans(InstrumentationSystem.tracer) == nil)
    }
}
