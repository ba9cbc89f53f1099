import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct TraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    private func parts(_ request: ClientRequest) throws -> TraceContext {
        let fields = request.headers.values("traceparent")
        #expect(fields.count == 1)
        return try #require(TraceContext(traceparent: fields.first ?? ""))
    }

    @Test func `every attempt has the trace of its call and a parent of its own`() async throws {
        let busy = ScriptedTransport.Answer.status(503)
        let bench = try Bench(
            busy, .status(302, headers: ["Location": "/b"]), busy, .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(ShowTide())
        let traces = try bench.transport.requests.map { try parts($0) }
        #expect(traces.count == 4)
        #expect(Set(traces.map(\.traceId)).count == 1)
        #expect(Set(traces.map(\.parentId)).count == 4)
    }

    @Test func `two calls are two traces`() async throws {
        let bench = try Bench(then: .json(tideJSON))
        for _ in 0..<2 { _ = try await bench.client.send(ShowTide()) }
        #expect(Set(try bench.transport.requests.map { try parts($0).traceId }).count == 2)
    }

    @Test func `a trace that begins with a call has the digits of its request id`() async throws {
        let bench = try Bench(.json(tideJSON))
        _ = try await bench.client.send(ShowTide())
        let request = bench.transport.requests[0]
        #expect(try parts(request).traceId == request.context.requestId.filter { $0 != "-" })
    }

    @Test func `a hedge has a parent of its own`() async throws {
        let hedge = try HedgeOptions(delay: .milliseconds(100))
        let bench = try Bench(.silence, .json(tideJSON), resilience: ResilienceOptions(hedge: hedge))
        async let answer = bench.client.send(ShowTide())
        await bench.clock.waitForSleeper(dueIn: .milliseconds(100))
        bench.clock.advance(by: .milliseconds(100))
        _ = try await answer
        let traces = try bench.transport.requests.map { try parts($0) }
        #expect(Set(traces.map(\.traceId)).count == 1)
        #expect(Set(traces.map(\.parentId)).count == 2)
    }

    @Test func `the caller's own is sent as it is, and logs name it`() async throws {
        let own = "00-\(Self.trace)-\(Self.parent)-00"
        let bench = try Bench(.json(tideJSON))
        _ = try await bench.client.send(ShowTide(), options: CallOptions(headers: ["TraceParent": own]))
        #expect(bench.transport.requests[0].headers.values("traceparent") == [own])
        #expect(bench.logs.lines.allSatisfy { $0.contains("trace_id=\(Self.trace)") })
    }

    @Test(arguments: ["00", "01"])
    func `a call joins the trace of its task and keeps its sampling flag`(flags: String) async throws {
        let bench = try Bench(.json(tideJSON))
        let received = TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-\(flags)")
        _ = try await TraceContext.$current.withValue(received) { try await bench.client.send(ShowTide()) }
        let sent = try parts(bench.transport.requests[0])
        #expect(sent.traceId == Self.trace)
        #expect(sent.parentId != Self.parent)
        #expect(sent.isSampled == (flags == "01"))
    }

    @Test func `each log line of a call names request and trace`() async throws {
        let bench = try Bench(.status(503), .json(tideJSON), resilience: .atOnce)
        _ = try await bench.client.send(ShowTide())
        let context = bench.transport.requests[0].context
        #expect(bench.logs.lines.count == 4)
        for line in bench.logs.lines {
            #expect(line.contains("request_id=\(context.requestId)"))
            #expect(line.contains("trace_id=\(context.trace.traceId)"))
        }
    }

    @Test(arguments: [0, 1, 2, .max] as [UInt64])
    func `a new trace context is valid`(seed: UInt64) throws {
        struct Constant: RandomNumberGenerator {
            let value: UInt64
            mutating func next() -> UInt64 { value }
        }
        var constant = Constant(value: 0)
        var random = SeededRandom(seed: seed)
        for trace in [TraceContext(using: &constant), TraceContext(using: &random), TraceContext()] {
            #expect(TraceContext(traceparent: trace.traceparent) == trace)
            #expect(trace.traceparent.utf8.count == 55)
            #expect(trace.child().traceId == trace.traceId)
            #expect(trace.child().parentId != trace.parentId)
        }
    }
}
