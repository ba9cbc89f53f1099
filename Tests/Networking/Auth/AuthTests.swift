import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct AuthTests {
    private let refusing = ScriptedTransport.Answer { request in
        let isFresh = request.headers["Authorization"]?.hasPrefix("Bearer new") ?? false
        return ClientResponse(
            ResponseHead(status: isFresh ? 200 : 401, headers: ["Content-Type": "application/json"]),
            body: ResponseBody(Data((isFresh ? tideJSON : "{}").utf8)))
    }

    @Test func `sends the current token`() async throws {
        let bench = try Bench(.json(tideJSON), auth: .bearer(FakeTokens("abc")))
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].headers.values("Authorization") == ["Bearer abc"])
    }

    @Test(arguments: [false, true])
    func `a token at hand is not waited for, any other is, once a call`(isAtHand: Bool) async throws {
        let tokens = FakeTokens("old", atHand: isAtHand ? "old" : nil)
        let bench = try Bench(.json(tideJSON), auth: .bearer(tokens))
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].headers.values("Authorization") == ["Bearer old"])
        #expect(await tokens.asked == (isAtHand ? 0 : 1))
    }

    @Test func `without a session nothing is sent`() async throws {
        let bench = try Bench(.json(tideJSON), auth: .bearer(FakeTokens(nil)))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `without a session a program is told which provider and call, and a user only that there is no login`()
        async throws
    {
        let error = await (try Bench(auth: .bearer(FakeTokens(nil)))).failure(of: ShowTide())
        #expect(
            error.description.hasPrefix("GET /v1/tides/bar: not logged in; 'FakeTokens' has no token: "), "\(error)")
        #expect(error.description.contains("'startSession' of 'RefreshingTokenProvider'"))
        #expect(error.errorDescription == "Not logged in.")
    }

    @Test func `a refused token is renewed once and the call replayed once, POST included`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(then: refusing, auth: .bearer(tokens))
        #expect(try await bench.client.send(AddTide()) == tide)
        #expect(bench.transport.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new-1"])
        #expect(bench.transport.requests[0].body?.bytes == bench.transport.requests[1].body?.bytes)
        #expect(await tokens.refreshes == 1)
        #expect(bench.events.kinds.filter { $0 == .refreshStarted || $0 == .refreshFinished(failure: nil) }.count == 2)
    }

    @Test func `a second 401 ends the session once and is the answer`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(then: .json(#"{"detail":"Banned."}"#, status: 401), auth: .bearer(tokens))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix("unauthorized"))
        #expect(failure.problem?.detail == "Banned.")
        #expect(bench.transport.requests.count == 2)
        #expect(await tokens.ended == 1)
        #expect(bench.events.kinds.filter { $0 == .sessionEnded }.count == 1)
    }

    @Test(arguments: [
        ("Bearer error=\"invalid_token\"", 2, 1), ("Bearer", 2, 0), ("Bearer error=\"invalid_credentials\"", 1, 0),
        ("Basic realm=\"proxy\"", 1, 0),
    ])
    func `a session ends by a second 401 only where that is about the token`(
        challenge: String, sent: Int, ends: Int
    ) async throws {
        let tokens = FakeTokens()
        let refusing = ScriptedTransport.Answer { _ in
            ClientResponse(
                ResponseHead(status: 401, headers: ["WWW-Authenticate": challenge]), body: ResponseBody(Data("{}".utf8))
            )
        }
        let bench = try Bench(then: refusing, auth: .bearer(tokens))
        #expect(await bench.failure(of: AddTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.count == sent)
        #expect(await tokens.ended == ends)
    }

    @Test func `a session that was refused for good ends also when its caller leaves meanwhile`() async throws {
        let tokens = ScriptedTokens("old", refreshed: "new")
        let bench = try Bench(then: .status(401), auth: .bearer(tokens))
        let call = Task {
            _ = try await bench.client.stream(
                RawRequest(.get, "/v1/tides/bar"), options: CallOptions(), events: { _ in }
            ) {
                _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            }
        }
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(tokens.ends == [false], "The task that ends it is not the one that was cancelled.")
    }

    @Test func `a failing refresh is the answer, and ends nothing`() async throws {
        let tokens = FakeTokens(refreshFailure: NetworkError(.offline("down")))
        let bench = try Bench(then: refusing, auth: .bearer(tokens))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix("offline"))
        #expect(failure.request == "GET /v1/tides/bar")
        #expect(bench.transport.requests.count == 1)
        #expect(await tokens.ended == 0)
        #expect(bench.events.kinds.contains(.refreshFinished(failure: "no connection")))
    }

    @Test func `the deadline of a call ends its wait for a refresh`() async throws {
        /// A session whose refresh never ends.
        struct Hanging: TokenProvider {
            func currentToken() async throws(NetworkError) -> Secret? { Secret("old") }
            func refreshToken(rejecting token: Secret) async throws(NetworkError) -> Secret {
                do { try await Gate().wait() } catch { throw NetworkError(.cancelled) }
                return token
            }
            func endSession() async { Issue.record("the session has not ended") }
        }
        let bench = try Bench(then: refusing, auth: .bearer(Hanging()))
        async let failure = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(5)))
        await bench.events.wait { $0.contains { $0.kind == .refreshStarted } }
        await bench.clock.waitForSleeper(dueIn: .seconds(5))
        bench.clock.advance(by: .seconds(5))
        #expect(await failure.kind == .timeout)
        #expect(bench.events.kinds.contains(.refreshFinished(failure: "timeout")))
    }

    @Test func `an API key goes into its header or its query`() async throws {
        let inHeader = try Bench(.json(tideJSON), auth: .apiKey(Secret("k&1"), in: .header("X-API-Key")))
        _ = try await inHeader.client.send(ShowTide(day: "1"))
        #expect(inHeader.transport.requests[0].headers.values("x-api-key") == ["k&1"])
        let inQuery = try Bench(.json(tideJSON), .json(tideJSON), auth: .apiKey(Secret("k&1"), in: .query("key")))
        _ = try await inQuery.client.send(ShowTide(day: "1"))
        _ = try await inQuery.client.send(ShowTide())
        #expect(inQuery.transport.requests.map(\.url.query) == ["day=1&key=k%261", "key=k%261"])
    }

    @Test func `a 401 for an API key is the answer`() async throws {
        let bench = try Bench(.status(401), auth: .apiKey(Secret("k"), in: .header("X-API-Key")))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `the caller's own Authorization passes unchanged and is not renewed`() async throws {
        let tokens = FakeTokens()
        let bench = try Bench(.status(401), auth: .bearer(tokens))
        _ = await bench.failure(of: HarbourEndpoint.raw(path: "/x", headers: ["authorization": "Basic eDp5"]))
        #expect(bench.transport.requests.map { $0.headers.values("Authorization") } == [["Basic eDp5"]])
        #expect(await tokens.refreshes == 0)
    }

    @Test(arguments: [
        "https://tides.test", "http://tides.test:8080", "http://evil.tides.test", "http://tides.test.evil.test",
        "http://evil.test", "http://127.0.0.1",
    ])
    func `no secret leaves for an origin that is not on the list`(elsewhere: String) async throws {
        let key = AuthStyle.apiKey(Secret("CANARY"), in: .header("X-API-Key"))
        for auth in [.bearer(FakeTokens("CANARY")), key, .apiKey(Secret("CANARY"), in: .query("key"))] {
            let bench = try Bench(
                then: .json(tideJSON), auth: auth, cache: [Diversion(to: try HTTPURL(elsewhere).origin)])
            _ = try await bench.client.send(ShowTide())
            let request = bench.transport.requests[0]
            #expect(request.headers.allSatisfy { !$0.value.contains("CANARY") })
            #expect(!request.url.description.contains("CANARY"))
        }
    }

    @Test func `an origin on the list gets the secret`() async throws {
        let mirror = try HTTPURL("https://mirror.test").origin
        let bench = try Bench(
            .json(tideJSON), auth: .bearer(FakeTokens("abc")), options: ClientOptions(trustedOrigins: [mirror]),
            cache: [Diversion(to: mirror)])
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].headers["Authorization"] == "Bearer abc")
    }
}

/// Sends a request elsewhere, as a redirect would.
private struct Diversion: Interceptor {
    let origin: Origin
    init(to origin: Origin) { self.origin = origin }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        request.url.origin = origin
        try await next(request, receive)
    }
}
