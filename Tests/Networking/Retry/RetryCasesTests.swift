import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Cases of other clients' suites that ours had no test for; see Docs/Guides/retry-and-resume-cases.md.
struct RetryCasesTests {
    @Test(arguments: ["/again", "http://tides.test/v1/tides/bar", "ftp://tides.test/x"])
    func `a redirect that cannot be followed is not retried`(target: String) async throws {
        let bench = try Bench(then: .status(302, headers: ["Location": target]))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix("invalidResponse"))
        #expect(bench.transport.requests.count <= 2, "one hop at most, and each asked once")
        #expect(!bench.events.kinds.contains { "\($0)".hasPrefix("retry") })
    }

    @Test(arguments: [307, 308])
    func `a redirect that keeps the method keeps the body`(status: Int) async throws {
        let bench = try Bench(.status(status, headers: ["Location": "/target"]), .json(tideJSON))
        #expect(try await bench.client.send(AddTide()) == tide)
        #expect(bench.transport.requests.map(\.method) == [.post, .post])
        #expect(bench.transport.requests.map(\.url.path) == ["/v1/tides", "/target"])
        var bodies: [Data] = []
        for request in bench.transport.requests {
            var bytes = Data()
            for try await chunk in try #require(try await request.body?.open()) { bytes.append(chunk) }
            bodies.append(bytes)
        }
        #expect(bodies[0] == bodies[1] && !bodies[0].isEmpty)
    }

    @Test(arguments: [NetworkError.Kind.tls("self-signed"), .invalidRequest("no such scheme"), .cancelled])
    func `a permanent failure is not retried`(kind: NetworkError.Kind) async throws {
        let bench = try Bench(then: .failure(kind))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText == "\(kind)")
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a status that is not retried comes with its body`() async throws {
        let problem = #"{"type":"about:blank","title":"Bad request","status":400,"detail":"No such tide."}"#
        let bench = try Bench(
            .status(400, headers: ["Content-Type": "application/problem+json"], body: problem))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.description.contains("No such tide."))
        #expect(bench.transport.requests.count == 1)
    }
}
