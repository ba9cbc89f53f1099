import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Pages by the URLs of the server.
struct PagesFlowTests {
    private struct ListTides: ManualEndpoint {
        typealias Response = [Int]
        var method: HTTPMethod { .get }
        var path: String { "/tides" }
        var query: QueryItems { ["sort": "a b"] }
        var headers: HeaderFields { ["X-Version": "3"] }
    }

    private func page(_ body: String, next: String? = nil) -> ScriptedTransport.Answer {
        .json(body, headers: next.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:])
    }

    private func items(_ bench: Bench) async throws(NetworkError) -> [Int] {
        var items: [Int] = []
        for try await page in bench.client.pages(ListTides(), next: .link) { items += page.value }
        return items
    }

    @Test func `each link is relative to the page before it, and sent as it is`() async throws {
        let bench = try Bench(
            page("[1]", next: "?page=2&x=%2F%7e"), page("[2]", next: "/api/v3/more?page=3"),
            page("[3]", next: "http://TIDES.test:80/api/v3/more?page=4"), page("[4]"),
            base: "http://tides.test/api/v3", auth: .bearer(FakeTokens("t")))
        #expect(try await items(bench) == [1, 2, 3, 4])
        #expect(
            bench.transport.requests.map(\.url.description) == [
                "http://tides.test/api/v3/tides?sort=a%20b", "http://tides.test/api/v3/tides?page=2&x=%2F%7e",
                "http://tides.test/api/v3/more?page=3", "http://tides.test/api/v3/more?page=4",
            ])
        #expect(bench.transport.requests.allSatisfy { $0.headers["X-Version"] == "3" })
        #expect(bench.transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
    }

    @Test func `a link is relative to where a redirect led`() async throws {
        let bench = try Bench(
            .status(308, headers: ["Location": "/v2/tides"]), page("[1]", next: "?page=2"), page("[2]"))
        #expect(try await items(bench) == [1, 2])
        #expect(bench.transport.requests.last?.url.description == "http://tides.test/v2/tides?page=2")
    }

    @Test(arguments: [
        (["?page=2", "http://tides.test/x/../tides?page=2"], 2), (["http://tides.test/tides?sort=a%20b"], 1),
    ])
    func `a link to a page that was asked for already is an error, and it is not asked for again`(
        links: [String], count: Int
    ) async throws {
        let bench = try Bench()
        for link in links { bench.transport.append(page("[1]", next: link)) }
        let error = await #expect(throws: NetworkError.self) { _ = try await items(bench) }
        #expect(error?.description.contains("page \(count) of the list names itself or a page before it") == true)
        #expect(bench.transport.requests.count == count)
    }

    @Test(arguments: [
        "http://evil.test/tides?page=2", "//evil.test/x", "https://tides.test/tides?page=2", "http://tides.test:81/x",
    ])
    func `a link to another origin is an error, and nothing is sent there`(link: String) async throws {
        let bench = try Bench(page("[1]", next: link), page("[2]"))
        let error = await #expect(throws: NetworkError.self) { _ = try await items(bench) }
        #expect(error?.description.contains("trustedOrigins") == true)
        #expect(error?.description.contains("page=2") == false)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [
        "ftp://tides.test/x", "http://u:secret@tides.test/x", "mailto:a@b", "\u{1}", "http://tides.test!secret/x",
        "secret:x", "secret://tides.test", "http://[secret/x",
    ])
    func `a link that is no URL is an error without its secrets`(link: String) async throws {
        let bench = try Bench(page("[1]", next: link))
        let error = await #expect(throws: NetworkError.self) { _ = try await items(bench) }
        #expect(error?.description.contains("secret") == false)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a trusted origin may have pages`() async throws {
        let trusted = try Origin(scheme: "https", host: "mirror.test")
        let bench = try Bench(
            page("[1]", next: "https://mirror.test/tides?page=2"), page("[2]", next: "?page=3"), page("[3]"),
            options: ClientOptions(trustedOrigins: [trusted], coalescesReads: false))
        #expect(try await items(bench) == [1, 2, 3])
        #expect(bench.transport.requests.last?.url.description == "https://mirror.test/tides?page=3")
    }

    @Test func `a page is retried like any GET`() async throws {
        let bench = try Bench(
            page("[1]", next: "?page=2"), .status(503), page("[2]"), resilience: .atOnce)
        #expect(try await items(bench) == [1, 2])
    }

    @Test func `a URL that the server gave is sent and decoded`() async throws {
        let bench = try Bench(then: .json(tideJSON), base: "http://tides.test/api")
        let client = bench.client
        #expect(try await client.send("http://tides.test/x?q=a+b", as: TidePayload.self) == tide)
        #expect(try await client.send("/x?q=1", as: TidePayload.self) == tide)
        #expect(
            try await client.send("/x?q=1", as: TidePayload.self, relativeTo: "http://tides.test/api/y") == tide)
        #expect(try await client.send("z", as: TidePayload.self, relativeTo: "http://tides.test/api/y?a") == tide)
        #expect(
            bench.transport.requests.map(\.url.description) == [
                "http://tides.test/x?q=a+b", "http://tides.test/api/x?q=1", "http://tides.test/x?q=1",
                "http://tides.test/api/z",
            ])
        #expect(bench.events.all.last?.request == "GET /api/z")
    }

    @Test(arguments: ["http://evil.test/x", "x", "", "http://tides.test/a b"])
    func `a URL of another origin, or none, is not sent`(url: String) async throws {
        let bench = try Bench(then: .json(tideJSON), auth: .bearer(FakeTokens()))
        let error = await #expect(throws: NetworkError.self) { try await bench.client.send(url, as: TidePayload.self) }
        #expect(error?.kindText.hasPrefix("invalidRequest") == true)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a path with a query names the way to send it`() async throws {
        let bench = try Bench(.json(tideJSON))
        let error = await bench.failure(of: HarbourEndpoint.raw(path: "/x?page=2", headers: [:]))
        #expect(error.description.contains("send(url, as:)"))
    }

    @Test func `a response names its URL, after redirects`() async throws {
        let bench = try Bench(
            .json(tideJSON), .status(307, headers: ["Location": "/v2/tides/bar?a=1"]), .json(tideJSON))
        #expect(
            try await bench.client.response(to: ShowTide(), options: CallOptions()).url
                == "http://tides.test/v1/tides/bar")
        #expect(
            try await bench.client.response(to: ShowTide(), options: CallOptions()).url
                == "http://tides.test/v2/tides/bar?a=1")
    }

    @Test func `a job that is accepted is asked for until it has a result`() async throws {
        let bench = try Bench(
            .status(202, headers: ["Location": "jobs/1"]), .status(202, headers: ["Retry-After": "5"], body: "wait"),
            .status(303, headers: ["Location": "/v1/tides/bar"]), .json(tideJSON))
        let started = try await bench.client.response(
            to: RespondingEndpoint(AddTide(), as: NoContent.self), options: CallOptions())
        let location = try #require(started.head.headers["Location"])
        async let result = bench.client.poll(location, relativeTo: started.url, as: TidePayload.self)
        await bench.clock.waitForSleeper(dueIn: .seconds(5))
        bench.clock.advance(by: .seconds(5))
        #expect(try await result.value == tide)
        #expect(
            bench.transport.requests.map { "\($0.method.rawValue) \($0.url.path)" } == [
                "POST /v1/tides", "GET /v1/jobs/1", "GET /v1/jobs/1", "GET /v1/tides/bar",
            ])
    }
}
