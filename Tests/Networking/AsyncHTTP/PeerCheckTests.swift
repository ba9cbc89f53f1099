import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct PeerCheckTests {
    /// The failure of a POST; `nil` for a response.
    private func outcome(_ client: HTTPAPIClient, _ url: String) async -> NetworkError? {
        do {
            _ = try await client.collect(
                RawRequest(.post, url, body: .bytes(Data("secret".utf8))), upTo: 100,
                options: CallOptions(retry: .never), events: { _ in })
            return nil
        } catch { return error }
    }

    @Test func `a connection to an address that is not admitted carries no request`() async throws {
        let server = try await LoopbackServer.start(.init { _ in [.response()] })
        let client = try HTTPAPIClient.outgoing(resilience: Resilience())
        for host in ["127.0.0.1", "localhost"] {
            let error = await outcome(client, server.url.replacing("127.0.0.1", with: host))
            guard case .invalidRequest(let reason) = error?.kind else {
                Issue.record("\(host): \(String(describing: error))")
                continue
            }
            #expect(reason.contains("must not connect"))
        }
        #expect(server.requests.isEmpty)
        await server.stop()
    }

    @Test func `where private addresses are allowed, the request is sent`() async throws {
        let server = try await LoopbackServer.start(.init { _ in [.response()] })
        let client = try HTTPAPIClient.outgoing(allowsPrivateAddresses: true, resilience: Resilience())
        #expect(await outcome(client, server.url) == nil)
        await server.stop()
    }

    @Test func `a redirect is the answer and is not followed`() async throws {
        let server = try await LoopbackServer.start(
            .init { _ in [.response("302 Found", fields: ["Location: /other"])] })
        let client = try HTTPAPIClient.outgoing(allowsPrivateAddresses: true, resilience: Resilience())
        let response = try await client.collect(
            RawRequest(.post, server.url), upTo: 100, options: CallOptions(retry: .never), events: { _ in })
        #expect(response.head.status == 302 && server.requests.count == 1)
        await server.stop()
    }
}
