import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RawClientTests {
    @Test(arguments: [
        100, 200, 201, 204, 206, 300, 304, 307, 400, 401, 403, 404, 409, 412, 418, 429, 451, 500, 501, 502, 503, 504,
        599,
    ])
    func `every status is a result, with its body`(status: Int) async throws {
        let bench = try Bench.plain(.status(status, headers: ["X-A": "1"], body: "as it is"))
        let answer = try await bench.client.raw(.get, "/x")
        #expect(answer.head.status == status)
        #expect(answer.head.headers["X-A"] == "1")
        #expect(answer.bytes == Data("as it is".utf8))
        let streamed = try Bench.plain(.status(status, body: "as it is"))
        let text = try await streamed.client.stream(
            RawRequest(.get, "/x"), options: CallOptions(), events: { _ in }
        ) { head, chunks in
            var text = "\(head.status) "
            for try await chunk in chunks { text += String(decoding: chunk, as: UTF8.self) }
            return text
        }
        #expect(text == "\(status) as it is")
    }

    @Test(arguments: [
        ("/x", "http://tides.test/api/x"), ("/x?q=1", "http://tides.test/api/x?q=1"), ("/", "http://tides.test/api/"),
        ("//evil.test/x", "http://tides.test/api//evil.test/x"), ("/@evil.test", "http://tides.test/api/@evil.test"),
        ("/x#y", "http://tides.test/api/x"), ("http://other.test:81/x?y", "http://other.test:81/x?y"),
        ("HTTPS://Other.test", "https://other.test/"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("/http://evil.test", "http://tides.test/api/http://evil.test"),
    ])
    func `a path goes behind the base, a URL where it says`(url: String, sent: String) async throws {
        let bench = try Bench.plain(.status(200), base: "http://tides.test/api/")
        _ = try await bench.client.raw(.get, url)
        #expect(bench.transport.requests[0].url.description == sent)
    }

    @Test(arguments: [
        "", " ", "x", "x/y", "tides.test/x", "ftp://x.test", "file:///etc/passwd", "javascript:alert(1)", "http://",
        "http:///x", "http://x.test:0", "http://x.test:99999", "http://x.test:y", "http://ann:pw@x.test",
        "http://a b.test",
        "http://x.test/a b", "/a b", "/ü", "/a\r\nX: y", "/a\nb", "http://x.test/\u{0}", "http://[::1", "http://[x]/",
        "\r\n", "://x", "http//x.test", "?q", "#f", "@x.test", "unix:///x", "http://mü.test",
    ])
    func `a text that is not a URL is refused and not sent`(url: String) async throws {
        let bench = try Bench.plain()
        let error = await #expect(throws: NetworkError.self) { try await bench.client.raw(.get, url) }
        #expect(error?.kindText.hasPrefix("invalidRequest") == true)
        #expect(error?.description.contains("pw") == false)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(arguments: CarriedSecret.allCases)
    func `a foreign origin gets nothing that belongs to the client`(canary: CarriedSecret) async throws {
        for origin in ["http://evil.test", "https://tides.test", "http://tides.test:81", "http://a.tides.test"] {
            let bench = try Bench(.status(200), auth: canary.auth, options: canary.options())
            _ = try await bench.client.raw(.get, "\(origin)/x")
            #expect(!CarriedSecret.shows(in: bench.transport.requests[0]))
        }
    }

    @Test func `the fields of the caller are sent to any origin`() async throws {
        let bench = try Bench(.status(200), auth: .bearer(FakeTokens("mine")))
        _ = try await bench.client.raw(
            .get, "http://other.test/x", headers: ["Authorization": "Basic abcd", "X-A": "1"])
        #expect(bench.transport.requests[0].headers.values("Authorization") == ["Basic abcd"])
        #expect(bench.transport.requests[0].headers["X-A"] == "1")
    }

    @Test func `a trusted origin gets the token and the fields of the client`() async throws {
        let mirror = try HTTPURL("https://mirror.test").origin
        let options = try ClientOptions(headers: ["X-Team": "north"], trustedOrigins: [mirror])
        let bench = try Bench(.status(200), auth: .bearer(FakeTokens("mine")), options: options)
        _ = try await bench.client.raw(.get, "https://mirror.test/x")
        #expect(bench.transport.requests[0].headers["Authorization"] == "Bearer mine")
        #expect(bench.transport.requests[0].headers["X-Team"] == "north")
    }

    @Test(arguments: [HTTPMethod.get, .head])
    func `a read with a body is refused`(method: HTTPMethod) async throws {
        let bench = try Bench.plain()
        let error = await #expect(throws: NetworkError.self) {
            try await bench.client.raw(method, "/x", body: .bytes(Data("x".utf8)))
        }
        #expect(error?.description.contains("carries no body") == true)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(arguments: [
        ("X-A", "a\r\nX-B: c"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "\u{0}"), ("X-A", "\u{1B}[31m"),
        ("X-A", "\u{7F}"),
        ("X A", "b"), ("X-A:", "b"), ("", "b"), ("X-A\r\nX-B", "c"), ("Ü", "b"), ("X(A)", "b"),
        ("Idempotency-Key", "a\r\nb"), ("X-Request-Id", "a\nb"), ("traceparent", "a\r\nb"),
        ("Content-Length", "5"), ("transfer-encoding", "chunked"), ("CONNECTION", "close"), ("Host", "evil.test"),
        ("TE", "trailers"), ("Upgrade", "websocket"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "close"),
        ("Trailer", "X"),
    ])
    func `a field that would break or frame the message is never sent`(name: String, value: String) async throws {
        let bench = try Bench.plain()
        for isOfCall in [true, false] {
            let fields: HeaderFields = [name: value]
            let error = await #expect(throws: NetworkError.self) {
                try await bench.client.raw(
                    .get, "/x", headers: isOfCall ? [:] : fields, CallOptions(headers: isOfCall ? fields : [:]))
            }
            #expect(error?.kindText.hasPrefix("invalidRequest") == true)
        }
        #expect(bench.transport.requests.isEmpty)
        #expect(throws: OptionsError.self) { try ClientOptions(headers: [name: value]) }
    }

    @Test(arguments: ["", " ", "a\r\nb"])
    func `an idempotency key that names nothing, or breaks the message, is refused`(key: String) async throws {
        let bench = try Bench.plain()
        for options in [CallOptions(idempotencyKey: key), CallOptions(headers: ["idempotency-key": key])] {
            await #expect(throws: NetworkError.self) { try await bench.client.raw(.post, "/x", options) }
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(arguments: [(0, 0, true), (1, 0, false), (5, 5, true), (6, 5, false), (5, -1, false)])
    func `a body over the limit is refused`(size: Int, limit: Int, isTaken: Bool) async throws {
        let bench = try Bench.plain(.status(200, body: String(repeating: "x", count: size)))
        let answer = try? await bench.client.raw(.get, "/x", upTo: limit)
        #expect((answer != nil) == isTaken)
    }

    @Test(arguments: [
        (HTTPMethod.post, "/x", true, true), (.patch, "/x", true, true), (.get, "/x", true, false),
        (.put, "/x", true, false), (.delete, "/x", true, false), (.post, "/x", false, false),
        (.post, "http://other.test/x", true, false), (.post, "https://tides.test/x", true, false),
        (.post, "http://tides.test:80/x", true, true),
    ])
    func `a key of its own gets a write to the own origin, when switched on`(
        method: HTTPMethod, url: String, isOn: Bool, hasKey: Bool
    ) async throws {
        let bench = try Bench(.status(200), options: ClientOptions(addsIdempotencyKeys: isOn))
        _ = try await bench.client.raw(method, url)
        let keys = bench.transport.requests[0].headers.values("Idempotency-Key")
        #expect(keys.count == (hasKey ? 1 : 0))
        #expect(keys.allSatisfy { UUID(uuidString: $0) != nil })
    }

    @Test func `the key is one for all attempts, another for the next call, and the caller's goes first`() async throws
    {
        let bench = try Bench(
            .status(503), .failure(.connectionLost("reset")), .status(401), then: .json(tideJSON),
            auth: .bearer(FakeTokens()),
            options: ClientOptions(addsIdempotencyKeys: true))
        async let first = bench.client.send(AddTide())
        for wait in [Duration.milliseconds(500), .seconds(1)] {
            await bench.clock.waitForSleeper(dueIn: wait)
            bench.clock.advance(by: wait)
        }
        _ = try await first
        _ = try await bench.client.send(AddTide())
        _ = try await bench.client.send(AddTide(), options: CallOptions(idempotencyKey: "mine"))
        let keys = bench.transport.requests.map { $0.headers.values("Idempotency-Key") }
        #expect(keys.count == 6)
        #expect(Set(keys[0...3]).count == 1)
        #expect(keys[4] != keys[0])
        #expect(keys[5] == ["mine"])
    }

    @Test func `events of a raw call reach the client's listener and its own`() async throws {
        let (bench, own) = (try Bench.plain(.status(200)), EventRecorder())
        _ = try await bench.client.collect(
            RawRequest(.get, "/x?secret=1"), upTo: 10, options: CallOptions(), events: own.sink)
        #expect(own.all == bench.events.all)
        #expect(own.all.first?.request == "GET /x")
        #expect(own.kinds.count == 4)
    }

    @Test func `the state of an origin has its circuit and its budget`() async throws {
        let bench = try Bench(
            .status(503), resilience: ResilienceOptions(retry: .never, breaker: BreakerOptions(failures: 1)))
        _ = try await bench.client.raw(.get, "/x")
        let state = try #require(bench.client.state(of: "/anything"))
        #expect(state.origin == "http://tides.test")
        #expect(state.circuit == .open)
        #expect(state.openUntil == bench.wallClock.now.addingTimeInterval(60))
        #expect(bench.client.state(of: "https://tides.test/x")?.circuit == .closed)
        #expect(bench.client.state(of: "no URL") == nil)
    }
}
