import StrataDomain
import StrataNetworking
import Testing

@testable import StrataAsyncHTTP

/// What the transport remembers of the URLs it was asked for.
struct TargetsTests {
    private let targets = Targets()

    @Test func `each URL and method is read once`() throws {
        let urls = ["http://tides.test/a", "http://tides.test/a?b=1", "http://tides.test:81/a", "https://tides.test/a"]
        for _ in 1...3 {
            for url in urls {
                _ = try targets.request(.get, HTTPURL(url))
                _ = try targets.request(.post, HTTPURL(url))
            }
        }
        #expect(targets.count == 8)
    }

    @Test func `remembers only so many`() throws {
        for number in 1...1000 {
            _ = try targets.request(.get, HTTPURL("http://tides.test/\(number)"))
            #expect((1...Targets.capacity).contains(targets.count))
        }
    }

    @Test(arguments: [(0, 1), (1, 0)])
    func `a long URL is not remembered`(excess: Int, count: Int) throws {
        let path = "/" + String(repeating: "a", count: Targets.longest - 2 + excess)
        _ = try targets.request(.get, HTTPURL("http://tides.test\(path)?b"))
        #expect(targets.count == count)
    }

    @Test func `calls to one URL send fields and bodies of their own`() async throws {
        try await Rig.run(.always(.json(tideJSON))) { rig, server in
            for key in ["k-1", "k-2"] {
                _ = try await rig.client.send(AddTide(), options: CallOptions(idempotencyKey: key))
            }
            _ = try await rig.client.send(ShowTide())
            let heads = server.requests.map(\.head)
            #expect(heads[0].contains("\r\nIdempotency-Key: k-1"))
            #expect(heads[1].contains("\r\nIdempotency-Key: k-2"))
            #expect(!heads[0].contains("k-2") && !heads[1].contains("k-1") && !heads[2].contains("k-"))
            #expect(server.requests.map(\.body.isEmpty) == [false, false, true])
        }
    }
}
