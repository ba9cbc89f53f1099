import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Two servers record every byte: what the second one got is the proof.
struct RedirectSocketTests {
    @Test(arguments: [301, 302, 303, 307, 308], CarriedSecret.allCases)
    func `no byte of a secret arrives at another server`(code: Int, canary: CarriedSecret) async throws {
        let other = try await LoopbackServer.start(.always(.json(tideJSON)))
        let target = Shared("")
        let own = try await LoopbackServer.start(
            .init { exchange in
                let isFirst = exchange.head.contains("/start")
                let location = ["Location: \(target.value)"]
                return [
                    isFirst
                        ? .json(#"{"moved":true}"#, status: "\(code) Moved", fields: location) : .json(tideJSON)
                ]
            })
        let transport = AsyncHTTPTransport()
        let client = try HTTPAPIClient(
            baseURL: HTTPURL(own.url), transport: transport, auth: canary.auth, resilience: Resilience(),
            options: canary.options())
        // Another port, another name at another port, another name of the same server.
        let targets = [
            "\(other.url)/got", "http://localhost:\(other.port)/got", "http://localhost:\(own.port)/got",
        ]
        for method in [HTTPMethod.get, .post] {
            for location in targets {
                target.change { $0 = location }
                let body = method == .get ? nil : UploadBody.bytes(Data("draft".utf8))
                let answer = try await client.raw(
                    method, "/start\(canary.query)", headers: canary.headers, body: body)
                #expect(answer.head.status == 200)
            }
        }
        let first = own.requests.filter { $0.head.contains("/start") }
        let later = own.requests.filter { $0.head.contains("/got") } + other.requests
        #expect(first.count == 6)
        #expect(first.allSatisfy { CarriedSecret.shows(in: $0.head) })
        #expect(later.count == 6)
        #expect(later.allSatisfy { !CarriedSecret.shows(in: $0.head + $0.body) })
        #expect(later.filter { $0.body == "draft" && $0.head.hasPrefix("POST ") }.count == (code > 303 ? 3 : 0))
        #expect(later.filter { $0.head.hasPrefix("GET ") }.count == (code > 303 ? 3 : 6))
        await transport.shutdown()
        await own.stop()
        await other.stop()
    }

    @Test func `the body of a redirect is read, so that its connection serves the next hop`() async throws {
        let server = try await LoopbackServer.start(
            .init { exchange in
                let next = ["Location: /\(exchange.number)"]
                return [exchange.number < 6 ? .json("{}", status: "302 Found", fields: next) : .json(tideJSON)]
            })
        let transport = AsyncHTTPTransport()
        let client = try HTTPAPIClient(baseURL: HTTPURL(server.url), transport: transport, resilience: Resilience())
        #expect(try await client.send(ShowTide()) == tide)
        #expect(server.requests.count == 6)
        #expect(server.connections == 1)
        await transport.shutdown()
        await server.stop()
    }
}
