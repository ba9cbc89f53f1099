import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RequestBuildingTests {
    @Test(arguments: [
        ("a+b", "day=a%2Bb"), ("a&b=c", "day=a%26b%3Dc"), ("", "day="), ("Grüße ☂", "day=Gr%C3%BC%C3%9Fe%20%E2%98%82"),
        ("100%", "day=100%25"), ("a/b?c#d", "day=a%2Fb%3Fc%23d"), ("~-._", "day=~-._"),
        ("line\nbreak", "day=line%0Abreak"),
    ])
    func `escapes query values so that every server reads the same`(value: String, query: String) async throws {
        let bench = try Bench.plain(.json(tideJSON))
        _ = try await bench.client.send(ShowTide(day: value))
        #expect(bench.transport.requests[0].url.query == query)
    }

    @Test func `has no question mark without query items`() async throws {
        let bench = try Bench.plain(.json(tideJSON))
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].url.description == "http://tides.test/v1/tides/bar")
    }

    @Test(arguments: [("http://tides.test/api", "/api/v1/tides/bar"), ("http://tides.test/api/", "/api/v1/tides/bar")])
    func `puts paths behind the path of the base URL`(base: String, path: String) async throws {
        let bench = try Bench.plain(.json(tideJSON), base: base)
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].url.path == path)
    }

    @Test func `a path value cannot leave its segment`() async throws {
        let bench = try Bench.plain(.json(tideJSON))
        _ = try await bench.client.send(ShowTide(name: "../../admin?x=1"))
        #expect(bench.transport.requests[0].url.path == "/v1/tides/..%2F..%2Fadmin%3Fx%3D1")
        let failure = await bench.failure(of: ShowTide(name: ".."))
        #expect(failure.kindText.hasPrefix("invalidRequest"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `sends the default headers, and Content-Type only with a body`() async throws {
        let options = try ClientOptions(userAgent: "tides/1.0", headers: ["X-Team": "north"])
        let bench = try Bench.plain(.json(tideJSON), .json(tideJSON), options: options)
        _ = try await bench.client.send(ShowTide())
        _ = try await bench.client.send(AddTide())
        let (get, post) = (bench.transport.requests[0].headers, bench.transport.requests[1].headers)
        #expect(get["Accept"] == "application/json, application/problem+json")
        #expect(get["User-Agent"] == "tides/1.0")
        #expect(get["X-Team"] == "north")
        #expect(get["Content-Type"] == nil)
        #expect(post["Content-Type"] == "application/json")
    }

    @Test func `headers of the request win over the defaults, whatever their case`() async throws {
        let bench = try Bench.plain(.json(tideJSON))
        _ = try await bench.client.send(
            HarbourEndpoint.raw(path: "/x", headers: ["accept": "text/plain", "X-A": "1", "x-a": "2"]))
        let headers = bench.transport.requests[0].headers
        #expect(headers.values("Accept") == ["text/plain"])
        #expect(headers.values("X-A") == ["1", "2"])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b", "\u{7F}"])
    func `a header value with a line break or control character is never sent`(value: String) async throws {
        let bench = try Bench.plain(.json(tideJSON))
        let failure = await bench.failure(of: HarbourEndpoint.raw(path: "/x", headers: ["X-Note": value]))
        #expect(failure.kindText.hasPrefix("invalidRequest"))
        #expect(bench.transport.requests.isEmpty)
        #expect(throws: OptionsError.self) { try ClientOptions(headers: ["X-Note": value]) }
    }

    @Test(arguments: ["x", "/a b", "/a?b", "/a#b", "/ü", "/a\r\nb", ""])
    func `a path that is not percent-encoded is never sent`(path: String) async throws {
        let bench = try Bench.plain(.json(tideJSON))
        let failure = await bench.failure(of: HarbourEndpoint.raw(path: path, headers: [:]))
        #expect(failure.kindText.hasPrefix("invalidRequest"))
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `carries the idempotency key of the call`() async throws {
        let bench = try Bench.plain(.json(tideJSON))
        _ = try await bench.client.send(AddTide(), options: CallOptions(idempotencyKey: "k-1"))
        #expect(bench.transport.requests[0].headers.values("Idempotency-Key") == ["k-1"])
    }

    @Test func `refuses a base URL with a query, and options out of range`() throws {
        #expect(throws: OptionsError.self) { try Bench.plain(base: "http://tides.test/?x=1") }
        #expect(throws: OptionsError.self) { try ClientOptions(bodyLimit: 0) }
        #expect(throws: OptionsError.self) { try Bench.plain(auth: .apiKey(Secret("a\nb"), in: .header("X-API-Key"))) }
        #expect(throws: OptionsError.self) { try Bench.plain(auth: .apiKey(Secret("k"), in: .header("X API"))) }
        #expect(throws: OptionsError.self) { try Bench.plain(auth: .apiKey(Secret("k"), in: .query(""))) }
    }
}
