import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Lists in a query` {
    private struct Search: RoutedEndpoint {
        static let route = Route.get("/search")
        typealias Response = NoContent
        @Query var ids: [Int]
        @CommaQuery var kinds: [String]
        @SpaceQuery var words: [String]
        @PipeQuery var prices: [Double]
        @BracketQuery var tags: [String]
    }

    @Test func `are sent in their style, with the signs between the elements encoded`() async throws {
        let server = ScriptedTransport(.status(204))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://shop.test"), transport: server, resilience: Resilience())
        _ = try await client.send(
            Search(ids: [1, 2], kinds: ["a", "b"], words: ["c", "d"], prices: [0.5, 2], tags: ["e"]))
        #expect(
            server.requests.map(\.url.description) == [
                "http://shop.test/search?ids=1&ids=2&kinds=a%2Cb&words=c%20d&prices=0.5%7C2&tags%5B%5D=e"
            ])
    }
}
