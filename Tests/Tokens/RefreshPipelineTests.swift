import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// The token provider with the real client: which calls cause a refresh, how many, and which calls are sent again.
struct RefreshPipelineTests {
    let transport: ScriptedTransport
    let store = MemoryTokenStore(.number(1))
    let clock = ManualWallClock(SessionTokens.noon)
    let ends = CallCounter()

    init() {
        transport = ScriptedTransport(
            then: ScriptedTransport.Answer { request in
                let isFresh = request.headers["Authorization"] == "Bearer access-2"
                return ClientResponse(
                    ResponseHead(status: isFresh ? 200 : 401, headers: ["Content-Type": "application/json"]),
                    body: ResponseBody(Data("{}".utf8)))
            })
    }

    private func client(_ refresher: FakeRefresher) throws -> (HTTPAPIClient, RefreshingTokenProvider) {
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: clock, onSessionEnd: { [ends] in ends.increment() })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://api.test"), transport: transport, auth: .bearer(provider),
            resilience: Resilience(ResilienceOptions(retry: .never, concurrency: 10_000)),
            logger: LogRecorder().logger())
        return (client, provider)
    }

    private var sent: [String?] { transport.requests.map { $0.headers["Authorization"] } }

    @Test func `a thousand refused calls cause one refresh and one replay each`() async throws {
        let refresher = FakeRefresher { _, _ in .number(2) }
        let (client, _) = try client(refresher)
        let successes = await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { (try? await client.send(Ping())) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1000)
        #expect(refresher.sent == [Secret("refresh-1")])
        for requests in Dictionary(grouping: transport.requests, by: { $0.context.requestId }).values {
            let tokens = requests.map { $0.headers["Authorization"] }
            #expect(tokens == ["Bearer access-1", "Bearer access-2"] || tokens == ["Bearer access-2"])
        }
        #expect(sent.filter { $0 == "Bearer access-2" }.count == 1000)
        #expect(ends.value == 0)
    }

    @Test func `a failing token endpoint is not told as a failure of the API`() async throws {
        let refresher = FakeRefresher { (_, _) throws(NetworkError) in
            throw NetworkError(.server(503, nil), request: "POST /oauth/token")
        }
        let (client, _) = try client(refresher)
        let error = await outcome { () throws(NetworkError) in try await client.send(Ping()) }.error
        #expect(error?.description == "POST /ping: no token was obtained: server error 503", "\(error as Any)")
        #expect(error?.localizedDescription == "No token was obtained: server error 503.")
    }

    @Test(arguments: [403, 404, 409, 429, 500, 503])
    func `only a 401 causes a refresh`(status: Int) async throws {
        transport.append(.status(status))
        let refresher = FakeRefresher { _, _ in .number(2) }
        _ = try? await client(refresher).0.send(Ping())
        #expect(refresher.sent.isEmpty && transport.requests.count == 1)
    }

    @Test func `a call without a response causes no refresh`() async throws {
        transport.append(.failure(.offline("no route")), .failure(.connectionLost("reset")))
        let refresher = FakeRefresher { _, _ in .number(2) }
        let (client, _) = try client(refresher)
        for _ in 0..<2 { _ = try? await client.send(Ping()) }
        #expect(refresher.sent.isEmpty && transport.requests.count == 2)
    }

    @Test func `a token that was refreshed before sending and refused is refreshed once more`() async throws {
        clock.advance(by: .seconds(890))
        let clock = clock
        let refresher = FakeRefresher { number, _ in .number(number == 1 ? 9 : 2, at: clock.now) }
        let (client, _) = try client(refresher)
        _ = try await client.send(Ping())
        #expect(sent == ["Bearer access-9", "Bearer access-2"])
        #expect(refresher.sent == [Secret("refresh-1"), Secret("refresh-9")])
    }

    @Test func `a refresh after a 401 does not delay new calls, which send the present token`() async throws {
        let gate = Gate()
        let refresher = FakeRefresher { _, _ in
            try? await gate.wait()
            return .number(2)
        }
        let (client, provider) = try client(refresher)
        let first = Task { try await client.send(Ping()) }
        try await eventually("the refresh is sent") { refresher.sent.count == 1 }
        #expect(try await provider.currentToken() == Secret("access-1"))
        gate.open()
        _ = try await first.value
    }

    @Test(arguments: [false, true])
    func `a login after a failed refresh takes effect at once`(isProactive: Bool) async throws {
        if isProactive { clock.advance(by: .seconds(1000)) }
        let refresher = FakeRefresher { _, _ throws(NetworkError) in throw NetworkError(.server(503, nil)) }
        let (client, provider) = try client(refresher)
        let failed = await outcome { () throws(NetworkError) in try await client.send(Ping()) }
        #expect(failed.error?.isRetryable == true)
        try await provider.install(.number(2, at: clock.now))
        _ = try await client.send(Ping())
        #expect(sent.last == "Bearer access-2" && refresher.sent.count == 1)
    }

    @Test func `a store that fails while new tokens are written is a storage failure`() async throws {
        let store = store
        let refresher = FakeRefresher { _, _ in
            store.failure = TokenStoreError("The disk is full.")
            return .number(2)
        }
        let (client, _) = try client(refresher)
        let error = await outcome { () throws(NetworkError) in try await client.send(Ping()) }.error
        guard case .storage? = error?.kind, case .storage(let text)? = error.map({ DomainError($0) }) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("The disk is full."))
    }
}

private struct Ping: ManualEndpoint {
    typealias Response = JSONValue
    /// A write, because equal reads would be coalesced.
    var method: HTTPMethod { .post }
    var path: String { "/ping" }
}
