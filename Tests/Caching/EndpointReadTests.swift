import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

/// Reads of an endpoint through the cache, with the real client over a scripted transport.
struct EndpointReadTests {
    private struct Boat: Codable, Sendable, Equatable { var name: String }

    private struct ListBoats: RoutedEndpoint {
        static let route = Route.get("/boats")
        typealias Response = [Boat]
        @Query var sort: String?
    }

    private struct TenantBoats: RoutedEndpoint {
        static let route = Route.get("/boats")
        typealias Response = [Boat]
        @Header var xTenant: String
    }

    /// Somebody logs in while a call is under way.
    private struct Login: Interceptor {
        let action: @Sendable () -> Void

        func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
            try await next(request, receive)
            action()
        }
    }

    private struct AddBoat: RoutedEndpoint {
        static let route = Route.post("/boats")
        typealias Response = Boat
    }

    private let reader = CachedReader(directory: nil)
    private let transport = ScriptedTransport()

    private func client(_ token: String) throws -> HTTPAPIClient {
        try HTTPAPIClient(
            baseURL: HTTPURL("http://boats.test"), transport: transport, auth: .token(Secret(token)),
            resilience: Resilience(clock: ManualClock()))
    }

    @Test func `the second read of an endpoint sends nothing`() async throws {
        transport.append(.json(#"[{"name":"Ada"}]"#))
        let client = try client("ada")
        for _ in 0..<2 {
            #expect(try await reader.read(ListBoats(sort: "name"), through: client).value == [Boat(name: "Ada")])
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `another query and another identity are read anew`() async throws {
        for _ in 0..<3 { transport.append(.json("[]")) }
        _ = try await reader.read(ListBoats(sort: "name"), through: client("ada"))
        _ = try await reader.read(ListBoats(sort: "age"), through: client("ada"))
        _ = try await reader.read(ListBoats(sort: "name"), through: client("bob"))
        #expect(transport.requests.map { $0.url.query } == ["sort=name", "sort=age", "sort=name"])
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer ada", "Bearer ada", "Bearer bob"])
    }

    @Test func `a URL of the server and a header field of the endpoint are read anew`() async throws {
        for _ in 0..<4 { transport.append(.json("[]")) }
        let client = try client("ada")
        for page in ["/boats?page=1", "/boats?page=2"] {
            _ = try await reader.read(URLEndpoint<[Boat]>(page), through: client)
        }
        for tenant in ["north", "south"] { _ = try await reader.read(TenantBoats(xTenant: tenant), through: client) }
        #expect(
            transport.requests.map { $0.url.query ?? $0.headers["X-Tenant"] } == ["page=1", "page=2", "north", "south"])
    }

    @Test func `a response that another identity got is not kept`() async throws {
        let tokens = ScriptedTokens("ada")
        transport.append(.json("[]"))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://boats.test"), transport: transport, auth: .bearer(tokens),
            resilience: Resilience(clock: ManualClock()), interceptors: [Login { tokens.become("bob") }])
        await #expect(throws: DomainError.self) { try await reader.read(ListBoats(), through: client) }
    }

    @Test func `the path is the tag of the value`() async throws {
        for _ in 0..<2 { transport.append(.json("[]")) }
        let client = try client("ada")
        _ = try await reader.read(ListBoats(), through: client)
        await reader.invalidate(tag: "/boats")
        _ = try await reader.read(ListBoats(), through: client)
        #expect(transport.requests.count == 2)
    }

    @Test func `a failure is the domain's, and a write is refused`() async throws {
        transport.append(.status(404))
        let client = try client("ada")
        await #expect(throws: DomainError.notFound("Not found")) { try await reader.read(ListBoats(), through: client) }
        let error = await #expect(throws: DomainError.self) { try await reader.read(AddBoat(), through: client) }
        #expect(error?.kind == .validation)
        #expect(transport.requests.count == 1)
    }
}
