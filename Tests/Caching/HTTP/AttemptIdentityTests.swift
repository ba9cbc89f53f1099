import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// An interceptor that sets the user of a call, in the places that a client has for it.
struct AttemptIdentityTests {
    /// Sends each call in the name of the current user, in `field`.
    private struct UserHeader: Interceptor {
        @TaskLocal static var user = "nobody"
        var field = "Authorization"
        var keepsIdentity = false

        func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
            var request = request
            if keepsIdentity { return try await next(request, receive) }
            request.headers[field] = "Bearer \(Self.user)"
            try await next(request, receive)
        }
    }

    private struct ShowUser: RoutedEndpoint {
        static let route = Route.get("/v1/user")
        struct Response: Codable, Sendable { var name: String }
    }

    /// What stands between the call and its response.
    enum Way: CaseIterable, Sendable {
        case plain, retried, redirected, hedged

        fileprivate func answer(_ field: String = "Authorization") -> ScriptedTransport.Answer {
            let calls = Mutex<Set<String>>([])
            return ScriptedTransport.Answer { request in
                let isFirst = calls.withLock { $0.insert(request.context.requestId).inserted }
                switch self {
                case .plain: break
                case .retried: if isFirst { throw NetworkError(.connectionLost("reset")) }
                case .redirected:
                    if isFirst {
                        let head = ResponseHead(status: 307, headers: ["Location": "/v1/me"])
                        return ClientResponse(head, body: ResponseBody(Data()))
                    }
                // Ends when the hedged request has won.
                case .hedged: if isFirst { try await Gate().wait() }
                }
                // Gives the calls time to meet.
                for _ in 0..<20 { await Task.yield() }
                let headers: HeaderFields = [
                    "Cache-Control": "public, max-age=60", "Content-Type": "application/json",
                ]
                let name = request.headers[field] ?? "nobody"
                return ClientResponse(
                    ResponseHead(status: 200, headers: headers),
                    body: ResponseBody(Data(#"{"name":"\#(name)"}"#.utf8)))
            }
        }
    }

    private let logs = LogRecorder()
    private let store = MemoryHTTPCacheStore()

    private func client(
        _ transport: ScriptedTransport, _ way: Way = .plain, call: [any Interceptor] = [],
        attempt: [any Interceptor] = [], mode: CacheMode = .private
    ) throws -> HTTPAPIClient {
        let retry = try RetryPolicy(attempts: 3, baseDelay: .zero)
        let cache = HTTPCacheInterceptor(store: store, options: HTTPCacheOptions(rules: CacheRules(mode: mode)))
        return try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: transport,
            resilience: Resilience(
                ResilienceOptions(
                    retry: retry, budget: RetryBudget(ratio: 1, reserve: 1000),
                    breaker: BreakerOptions(failures: 1_000_000),
                    hedge: way == .hedged ? HedgeOptions(delay: .milliseconds(1)) : nil)),
            interceptors: call, cache: [cache], attemptInterceptors: attempt, logger: logs.logger())
    }

    private func ask(_ client: HTTPAPIClient, as user: String) async throws -> String {
        try await UserHeader.$user.withValue(user) { try await client.send(ShowUser()).name }
    }

    @Test(arguments: Way.allCases, ["Authorization", "Cookie", "X-Api-Key", "X-Tenant"])
    func `each user sees the response to the own request, at once and one after the other`(
        way: Way, field: String
    ) async throws {
        for mode in CacheMode.allCases {
            let transport = ScriptedTransport(then: way.answer(field))
            let client = try client(transport, way, attempt: [UserHeader(field: field)], mode: mode)
            try await withThrowingTaskGroup(of: (String, String).self) { group in
                for number in 0..<10 {
                    let user = number % 2 == 0 ? "alice" : "bob"
                    group.addTask { (user, try await ask(client, as: user)) }
                }
                for try await (user, seen) in group { #expect(seen == "Bearer \(user)") }
            }
            for user in ["alice", "bob", "alice"] { #expect(try await ask(client, as: user) == "Bearer \(user)") }
            #expect(store.all.isEmpty)
        }
        #expect(logs.lines.count { $0.contains("warning") && $0.contains("'UserHeader'") } == CacheMode.allCases.count)
    }

    @Test func `what another client stored is not served to a call of an unknown identity`() async throws {
        let transport = ScriptedTransport(then: Way.plain.answer())
        let anonymous = try client(transport)
        #expect(try await anonymous.send(ShowUser()).name == "nobody")
        #expect(store.all.count == 1)
        #expect(try await ask(client(transport, attempt: [UserHeader()]), as: "alice") == "Bearer alice")
        #expect(try await anonymous.send(ShowUser()).name == "nobody")
        #expect(transport.requests.count == 2)
    }

    @Test func `around the call each user has an own partition, and a hit`() async throws {
        let transport = ScriptedTransport(then: Way.plain.answer())
        let client = try client(transport, call: [UserHeader()])
        for user in ["alice", "bob", "alice", "bob"] {
            #expect(try await ask(client, as: user) == "Bearer \(user)")
        }
        #expect(transport.requests.count == 2)
        #expect(logs.lines.allSatisfy { !$0.contains("warning") })
    }

    @Test func `an attempt interceptor that keeps the identity leaves sharing and caching on`() async throws {
        let transport = ScriptedTransport(then: Way.plain.answer())
        let client = try client(transport, attempt: [UserHeader(keepsIdentity: true)])
        for _ in 0..<3 { #expect(try await client.send(ShowUser()).name == "nobody") }
        #expect(transport.requests.count == 1)
        #expect(logs.lines.allSatisfy { !$0.contains("warning") })
    }
}
