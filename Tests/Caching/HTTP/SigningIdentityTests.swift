import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// The identity that a signer states is the principal of the cache.
struct SigningIdentityTests {
    private struct Signer: RequestSigner {
        @TaskLocal static var user = "nobody"

        var identity: String { Self.user }
        func sign(_ request: inout SigningRequest) async throws { request.headers["X-Signature"] = Self.user }
    }

    private struct ShowUser: RoutedEndpoint {
        static let route = Route.get("/v1/user")
        struct Response: Codable, Sendable { var name: String }
    }

    @Test(arguments: CacheMode.allCases)
    func `each identity has its own stored response, and a hit`(mode: CacheMode) async throws {
        let transport = ScriptedTransport(
            then: ScriptedTransport.Answer { request in
                ClientResponse(
                    ResponseHead(
                        status: 200,
                        headers: ["Cache-Control": "private, max-age=60", "Content-Type": "application/json"]),
                    body: ResponseBody(Data(#"{"name":"\#(request.headers["X-Signature"] ?? "unsigned")"}"#.utf8)))
            })
        let cache = HTTPCacheInterceptor(
            store: MemoryHTTPCacheStore(), options: HTTPCacheOptions(rules: CacheRules(mode: mode)))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example"), transport: transport, auth: .signing(Signer()),
            resilience: Resilience(), cache: [cache], logger: LogRecorder().logger())
        for user in ["alice", "bob", "alice", "bob"] {
            let name = try await Signer.$user.withValue(user) { try await client.send(ShowUser()).name }
            #expect(name == user)
        }
        // A shared cache does not store what is private.
        #expect(transport.requests.count == (mode == .private ? 2 : 4))
    }
}
