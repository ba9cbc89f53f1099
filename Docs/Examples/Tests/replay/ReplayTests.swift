import Foundation
import StrataClient
import StrataTesting
import Testing

struct Tide: Decodable, Sendable { var metres: Double }

/// The responses come from a recording; there is no network and no token.
@Test func `the tide is read`() async throws {
    let file = try #require(Bundle.module.path(forResource: "tide", ofType: "har"))
    let replay = try ReplayTransport(har: file)
    let client = try HTTPAPIClient(
        baseURL: HTTPURL("https://tides.example.com"), transport: replay, auth: .token(Secret("none")),
        resilience: .shared)
    let tide: Tide = try await client.get("/tides/{name}", ["name": "bar"])
    #expect(tide.metres == 4.2)
    #expect(replay.unused.isEmpty)
}
