import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataURLSession
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// URLSessionTransport, with a stub in the place of the network.
@Suite(.timeLimit(.minutes(1))) struct StubTests {
    private func outcome(
        _ response: StubURLProtocol.Response, _ options: URLSessionOptions = .standard, headers: HeaderFields = [:],
        method: StrataDomain.HTTPMethod = .get
    ) async -> (Outcome, [URLRequest]) {
        let host = StubURLProtocol.stub(response)
        let transport = URLSessionTransport(options, protocolClasses: [StubURLProtocol.self])
        let stage = Stage(
            subject: .urlSession, transport: transport, url: "http://\(host)", server: nil, scripted: nil)
        let outcome = await stage.exchange(method, "/tides?day=1", headers: headers)
        await transport.shutdown()
        return (outcome, StubURLProtocol.requests(of: host))
    }

    @Test(arguments: [StrataDomain.HTTPMethod.get, .post])
    func `the stub sees the request and its response is received`(method: StrataDomain.HTTPMethod) async throws {
        let response = StubURLProtocol.Response(
            status: 418, headers: ["X-Pot": "tea"], chunks: [Data("short ".utf8), Data("and stout".utf8)])
        let (outcome, requests) = await outcome(response, headers: ["X-One": "1"], method: method)
        #expect(outcome.failure == nil)
        #expect(outcome.head?.status == 418)
        #expect(outcome.head?.headers["x-pot"] == "tea")
        #expect(outcome.text == "short and stout")
        let request = try #require(requests.first)
        #expect(request.httpMethod == method.rawValue)
        #expect(request.url?.query == "day=1")
        #expect(request.value(forHTTPHeaderField: "X-One") == "1")
        #expect(request.value(forHTTPHeaderField: "Accept-Encoding") == "identity")
        #expect(request.value(forHTTPHeaderField: "Cookie") == nil)
    }

    @Test func `a closure responds to each request by itself`() async {
        let host = StubURLProtocol.stub { request in
            StubURLProtocol.Response(status: request.url?.path == "/high" ? 200 : 404)
        }
        let transport = URLSessionTransport(protocolClasses: [StubURLProtocol.self])
        let stage = Stage(subject: .urlSession, transport: transport, url: "http://\(host)", server: nil, scripted: nil)
        #expect(await stage.exchange(.get, "/high").head?.status == 200)
        #expect(await stage.exchange(.get, "/low").head?.status == 404)
        await transport.shutdown()
        #expect(StubURLProtocol.requests(of: host).count == 2)
    }

    static let codes: [(URLError.Code, String)] = [
        (.timedOut, "timeout"), (.cancelled, "cancelled"), (.networkConnectionLost, "connectionLost"),
        (.badServerResponse, "connectionLost"), (.unsupportedURL, "invalidResponse"), (.unknown, "connectionLost"),
        // Without libcurl's own words nothing proves that the request was not sent.
        (.cannotConnectToHost, "connectionLost"),
    ]

    @Test(arguments: codes)
    func `a failure of the session has a kind`(code: URLError.Code, kind: String) async {
        #expect(await outcome(StubURLProtocol.Response(failure: code)).0.kind == kind)
    }

    @Test func `bytes before a failure are read, and then the failure`() async {
        let (outcome, _) = await outcome(
            StubURLProtocol.Response(chunks: [Data("ab".utf8), Data("c".utf8)], failure: .networkConnectionLost))
        #expect(outcome.text == "abc")
        #expect(outcome.kind == "connectionLost")
    }
}
