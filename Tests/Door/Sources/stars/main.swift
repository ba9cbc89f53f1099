import StrataAsyncHTTP
import StrataDomain
import StrataNetworking

struct Repository: Codable, Sendable {
    var fullName: String  // "full_name" in the JSON
    var stargazersCount: Int
}

struct GetRepository: RoutedEndpoint {
    static let route = Route.get("/repos/{owner}/{name}")
    typealias Response = Repository
    @Path var owner: String
    @Path var name: String
}

let transport = AsyncHTTPTransport()
let client = try HTTPAPIClient(
    baseURL: HTTPURL(CommandLine.arguments[1]), transport: transport, resilience: Resilience())
do {
    let repository = try await client.send(GetRepository(owner: "swiftlang", name: "swift"))
    print(repository.fullName, repository.stargazersCount)
} catch {
    print(error)
}
await transport.shutdown()
