import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Event streams over scripted connections; jitter adds a quarter to each wait.
struct EventStreamTests {
    private static let type: HeaderFields = ["Content-Type": "text/event-stream; charset=utf-8"]

    private struct Chat: ManualEndpoint {
        var method: HTTPMethod { .post }
        var path: String { "/v1/chat" }
        func body() throws -> RequestBody? { RequestBody(contentType: MediaType.json, bytes: Data("{}".utf8)) }
    }

    /// A connection that sends these texts and then ends.
    private func connection(_ texts: String..., then failure: NetworkError? = nil) -> ScriptedTransport.Answer {
        .chunks(texts.map { Data($0.utf8) }, headers: Self.type, then: failure)
    }

    /// A connection that sends a text and then nothing, until it is cancelled.
    private func open(_ text: String) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            let chunks = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> {
                if chunks.increment() == 1 { return Data(text.utf8) }
                try await Gate().wait()
                return nil
            }
            return ClientResponse(ResponseHead(status: 200, headers: Self.type), body: ResponseBody(body))
        }
    }

    /// Moves the clock over a wait as soon as it has begun.
    private func pass(_ wait: Duration, _ bench: Bench) async {
        await bench.clock.waitForSleeper(dueIn: wait)
        bench.clock.advance(by: wait)
    }

    @Test func `opens the stream again with the id of the last event, until a 204`() async throws {
        let bench = try Bench(
            connection("id: 1\ndata: a\n\n", "id: 2\nda", "ta: b\n\nid: 3\ndata: half"),
            connection("data: c\n\n", then: NetworkError(.connectionLost("reset"))), .status(204))
        let call = Task {
            var texts: [String] = []
            for try await event in bench.client.events(ShowTide()) { texts.append("\(event.id)\(event.data)") }
            return texts
        }
        await pass(.milliseconds(3750), bench)
        await bench.transport.waitForCalls(2)
        await pass(.milliseconds(3750), bench)
        #expect(try await call.value == ["1a", "2b", "2c"])
        let requests = bench.transport.requests
        #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "2"])
        #expect(requests.allSatisfy { $0.headers.values("Accept") == ["text/event-stream"] })
        #expect(requests.allSatisfy { $0.headers["Cache-Control"] == "no-store" })
    }

    @Test func `a run may go on where an earlier one ended`() async throws {
        let bench = try Bench(.status(204))
        for try await _ in bench.client.events("/v1/events?topic=a", since: "é7") {}
        #expect(bench.transport.requests.map { $0.headers["Last-Event-ID"] } == ["é7"])
        #expect(bench.transport.requests[0].url.description == "http://tides.test/v1/events?topic=a")
    }

    @Test func `a path with parameters is opened again with the same query`() async throws {
        let bench = try Bench(connection("id: 1\ndata: a\n\n"), .status(204), base: "http://tides.test/api")
        let call = Task {
            let events = bench.client.events(
                "/v1/{harbour}/events", ["harbour": "bar & grill", "kind": ["low", "high"]], since: "0")
            var texts: [String] = []
            for try await event in events { texts.append(event.data) }
            return texts
        }
        await pass(.milliseconds(3750), bench)
        #expect(try await call.value == ["a"])
        let requests = bench.transport.requests
        #expect(requests.map { $0.headers["Last-Event-ID"] } == ["0", "1"])
        #expect(
            requests.map(\.url.description)
                == Array(repeating: "http://tides.test/api/v1/bar%20%26%20grill/events?kind=low&kind=high", count: 2))
        #expect(requests.allSatisfy { $0.method == .get && $0.headers["Accept"] == "text/event-stream" })
    }

    @Test func `a name in the path without a value ends the events before a request`() async throws {
        let bench = try Bench(then: connection("data: a\n\n"))
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in bench.client.events("/v1/{harbour}/events", ["kind": "low"]) {
                Issue.record("It is no event.")
            }
        }
        #expect(error?.reason.contains("harbour") == true)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `waits as long as the server asks`() async throws {
        // Not as long as an attempt may take, which is a sleeper too.
        let bench = try Bench(connection("retry: 9000\ndata: a\n\n"), .status(204))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        await pass(.milliseconds(11_250), bench)
        try await call.value
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `connections that bring nothing double the wait and use the retry budget up`() async throws {
        let bench = try Bench(
            connection("data: a\n\n"), then: connection(),
            resilience: ResilienceOptions(budget: RetryBudget(ratio: 0, reserve: 3)))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        for wait in [3750, 3750, 7500, 15_000] { await pass(.milliseconds(wait), bench) }
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.kindText.contains("again and again") == true)
        // The first that brought an event, one free of charge after it, and three for the budget.
        #expect(bench.transport.requests.count == 5)
    }

    @Test func `a first connection that fails is an error, after the retries of any call`() async throws {
        let bench = try Bench(then: .failure(.offline("refused")), resilience: .atOnce)
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in bench.client.events(ShowTide()) {}
        }
        #expect(error?.kind == .offline("refused"))
        #expect(bench.transport.requests.count == 3)
    }

    @Test func `a server that is down for a while is waited for`() async throws {
        let bench = try Bench(
            connection("data: a\n\n"), .failure(.offline("refused")), .status(503, headers: ["Retry-After": "20"]),
            .status(204), resilience: ResilienceOptions(retry: .never))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        for wait in [3750, 3750, 20_000] { await pass(.milliseconds(wait), bench) }
        try await call.value
        #expect(bench.transport.requests.count == 4)
    }

    @Test func `reconnections that fail do not open the circuit for other calls`() async throws {
        let bench = try Bench(
            connection("data: a\n\n"), resilience: ResilienceOptions(retry: .never))
        for _ in 0..<6 { bench.transport.append(.failure(.connectionLost("reset"))) }
        bench.transport.append(.status(204))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        for wait in [3750, 3750, 7500, 15_000, 30_000, 60_000, 75_000] { await pass(.milliseconds(wait), bench) }
        try await call.value
        let origin = try Origin(scheme: "http", host: "tides.test")
        #expect(bench.transport.requests.count == 8)
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
        #expect(!bench.events.kinds.contains(.circuit(origin: "http://tides.test", .opened)))
    }

    @Test func `first connections that fail open the circuit like any call`() async throws {
        let bench = try Bench(then: .status(503), resilience: ResilienceOptions(retry: .never))
        for _ in 0..<5 {
            await #expect(throws: NetworkError.self) { for try await _ in bench.client.events(ShowTide()) {} }
        }
        #expect(bench.events.kinds.contains(.circuit(origin: "http://tides.test", .opened)))
    }

    @Test(arguments: [400, 401, 403, 404, 410])
    func `a refusal ends the events`(status: Int) async throws {
        let bench = try Bench(connection("data: a\n\n"), .status(status))
        let seen = Shared<[String]>([])
        let call = Task {
            for try await event in bench.client.events(ShowTide()) { seen.change { $0.append(event.data) } }
        }
        await pass(.milliseconds(3750), bench)
        let result = await call.result
        #expect(throws: NetworkError.self) { try result.get() }
        #expect(seen.value == ["a"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test(
        arguments: [
            (200, "text/html", "got 'text/html'"), (200, nil, "got no media type"), (200, "text/event-streams", "got"),
            (202, "text/event-stream", "got 202"), (206, "text/event-stream", "got 206"),
        ] as [(Int, String?, String)])
    func `another response is not read as events`(status: Int, type: String?, text: String) async throws {
        var headers: HeaderFields = [:]
        headers["Content-Type"] = type
        let bench = try Bench(.status(status, headers: headers, body: "data: a\n\n"))
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in bench.client.events(ShowTide()) { Issue.record("It is no event.") }
        }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a POST is not sent again unless the caller says so`() async throws {
        let bench = try Bench(connection("data: a\n\n"), .status(204))
        for try await _ in bench.client.events(Chat()) {}
        #expect(bench.transport.requests.count == 1)
        let lost = try Bench(connection("data: a\n\n", then: NetworkError(.connectionLost("reset"))), .status(204))
        let error = await #expect(throws: NetworkError.self) { for try await _ in lost.client.events(Chat()) {} }
        #expect(error?.kind == .connectionLost("reset"))
        let stated = try Bench(connection("data: a\n\n"), .status(204))
        let call = Task {
            for try await _ in stated.client.events(Chat(), options: CallOptions(retry: .asIdempotent)) {}
        }
        await pass(.milliseconds(3750), stated)
        try await call.value
        #expect(stated.transport.requests.map(\.method) == [.post, .post])
    }

    @Test func `a terminator ends the loop and the connection`() async throws {
        let bench = try Bench(open("data: a\n\ndata: [DONE]\n\ndata: b\n\n"))
        var texts: [String] = []
        for try await event in try bench.client.events(Chat()).prefix(while: { $0.data != "[DONE]" }) {
            texts.append(event.data)
        }
        #expect(texts == ["a"])
        try await eventually(bench.transport.cancelled == 1)
    }

    @Test func `cancelling during the wait ends at once`() async throws {
        let bench = try Bench(connection("data: a\n\n"), .status(204))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        await bench.clock.waitForSleeper(dueIn: .milliseconds(3750))
        call.cancel()
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.kind == .cancelled)
        #expect(bench.transport.requests.count == 1)
        try await eventually(!bench.clock.waits.contains(.milliseconds(3750)))
    }

    @Test func `a stated deadline covers all connections`() async throws {
        let bench = try Bench(connection("data: a\n\n"), open("data: b\n\n"))
        let seen = Gate()
        let call = Task {
            for try await event in bench.client.events(ShowTide(), options: CallOptions(deadline: .seconds(20))) {
                if event.data == "b" { seen.open() }
            }
        }
        await pass(.milliseconds(3750), bench)
        try await seen.wait()
        // 3.75 s are gone: the head had 10 s, the body has the rest.
        bench.clock.advance(by: .seconds(10))
        await pass(.milliseconds(6250), bench)
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.kind == .timeout)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `an id that no field can carry ends the events with a sentence`() async throws {
        let bench = try Bench(connection("id: a\u{1}b\ndata: a\n\n"), .status(204))
        let call = Task { for try await _ in bench.client.events(ShowTide()) {} }
        await pass(.milliseconds(3750), bench)
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.description.contains("control character") == true)
    }

    @Test func `events and rows are read in the JSON of the client`() async throws {
        struct Row: Decodable, Sendable, Equatable {
            var fooBar: Int
            // With snake_case this would be "fooBar".
            enum CodingKeys: String, CodingKey { case fooBar = "foo_bar" }
        }
        let options = try ClientOptions(coalescesReads: false, json: .asDeclared)
        let bench = try Bench(
            connection("data: {\"foo_bar\":1}\n\n"), .status(200, body: "{\"foo_bar\":2}\n{\"foo_bar\":3}"),
            options: options)
        for try await event in bench.client.events(Chat()) {
            #expect(try event.decode(Row.self) == Row(fooBar: 1))
            #expect(event == ServerSentEvent(data: "{\"foo_bar\":1}"))
        }
        var rows: [Row] = []
        for try await row in bench.client.json(ShowTide(), of: Row.self) { rows.append(row) }
        #expect(rows == [Row(fooBar: 2), Row(fooBar: 3)])
    }
}
