import StrataClient

struct Repository: Decodable, Sendable {
    var fullName: String  // "full_name" in the JSON
    var stargazersCount: Int
}

let github = try StrataClient(CommandLine.arguments[1])
do {
    let swift: Repository = try await github.get("/repos/swiftlang/{name}", ["name": "swift"])
    print(swift.fullName, swift.stargazersCount)
} catch { print(error) }
