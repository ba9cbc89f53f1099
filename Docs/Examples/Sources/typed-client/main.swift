import StrataClient

struct Repository: Decodable, Sendable {
    var fullName: String  // "full_name" in the JSON
    var stargazersCount: Int
}

struct GetRepository: RoutedEndpoint {
    static let route = Route.get("/repos/{owner}/{name}")
    typealias Response = Repository
    @Path var owner: String
    @Path var name: String
}

struct SearchRepositories: RoutedEndpoint {
    static let route = Route.get("/search")
    typealias Response = [Repository]
    @Query var topic: String
    @Query var minStars: Int?
    @Query var sort: [String] = []
}

let client = try StrataClient(CommandLine.arguments[1], token: Secret("t-123"))
do throws(NetworkError) {
    let repository = try await client.send(GetRepository(owner: "ada", name: "engine"))
    print(repository.fullName, repository.stargazersCount)

    let found = try await client.send(
        SearchRepositories(topic: "clocks & gears", minStars: 5, sort: ["stars", "name"]))
    print(found.map(\.fullName))

    // Without a type for the call.
    let same: Repository = try await client.get("/repos/{owner}/{name}", ["owner": "ada", "name": "engine"])
    print(same.fullName)
} catch {
    print(error)
}
