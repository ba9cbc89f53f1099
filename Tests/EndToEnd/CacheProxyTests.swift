import Foundation
import StrataTesting
import Testing

/// `shiftlog cache-proxy`, the program, between raw sockets and an origin of this process.
@Suite(.serialized) struct CacheProxyTests {
    @Test(arguments: ["memory", "disk", "both"])
    func `a fresh response is served from the cache, and Cache-Status says so`(tier: String) async throws {
        let bench = try await CacheProxyBench()
        let proxy = try await bench.start(["--tier", tier])
        let first = try await proxy.get("/fresh")
        #expect(first.status == 200 && first.body == "1 /fresh")
        #expect(first.value("Cache-Status")?.contains("fwd=uri-miss") == true, "\(first.head)")
        let second = try await proxy.get("/fresh")
        #expect(second.status == 200 && second.body == "1 /fresh")
        #expect(second.value("Cache-Status")?.contains("; hit") == true, "\(second.head)")
        #expect(Int(second.value("Age") ?? "") != nil)
        let unstored = try await proxy.get("/unstored")
        let again = try await proxy.get("/unstored")
        #expect(unstored.body != again.body)
        #expect(try await proxy.end(SIGTERM).status == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal lets the request in flight end, and the program with status 0`(signal: Int32) async throws {
        let bench = try await CacheProxyBench()
        let proxy = try await bench.start()
        async let answer = proxy.get("/slow")
        try await eventually("the origin is asked") { bench.origin.requests.count == 1 }
        proxy.program.signal(signal)
        try await eventually("nobody listens") { !proxy.isListening }
        #expect(proxy.program.isRunning)
        bench.letGo()
        let received = try await answer
        #expect(received.status == 200 && received.body == "1 /slow")
        let outcome = try await proxy.program.outcome()
        #expect(outcome.status == 0 && !outcome.wasSignalled, "\(outcome.err)")
    }

    @Test func `a second signal ends it at once`() async throws {
        let bench = try await CacheProxyBench()
        let proxy = try await bench.start()
        async let answer = try? proxy.get("/slow")
        try await eventually("the origin is asked") { bench.origin.requests.count == 1 }
        proxy.program.signal(SIGTERM)
        try await eventually("nobody listens") { !proxy.isListening }
        proxy.program.signal(SIGTERM)
        let outcome = try await proxy.program.outcome()
        #expect(outcome.status != 0 || outcome.wasSignalled)
        bench.letGo()
        #expect(await answer == nil)
    }

    @Test func `a port that is in use is status 69 and a sentence`() async throws {
        let bench = try await CacheProxyBench()
        let outcome = try await bench.outcome([
            "--listen", "127.0.0.1:\(bench.origin.port)", "--origin", bench.origin.url,
        ])
        #expect(outcome.status == 69)
        #expect(outcome.err.contains("127.0.0.1:\(bench.origin.port) is in use already. Choose another port"))
        #expect(outcome.out.isEmpty)
    }

    @Test func `a dead origin is a 502, and what is stored is served stale where it may be`() async throws {
        let bench = try await CacheProxyBench()
        let proxy = try await bench.start()
        #expect(try await proxy.get("/stale").body == "1 /stale")
        #expect(try await proxy.get("/strict").body == "2 /strict")
        await bench.origin.stop()
        let stale = try await proxy.get("/stale")
        #expect(stale.status == 200 && stale.body.hasSuffix(" /stale"), "\(stale)")
        let strict = try await proxy.get("/strict")
        #expect(strict.status == 502 || strict.status == 504, "\(strict)")
        let missing = try await proxy.get("/never-asked")
        #expect(missing.status == 502)
        #expect(missing.body.contains("connection refused"), "\(missing.body)")
        #expect(try await proxy.end(SIGTERM).status == 0)
    }

    @Test func `many clients at once each get the body of their own path`() async throws {
        let bench = try await CacheProxyBench()
        let proxy = try await bench.start()
        let wrong = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let path = "/fresh/\(number % 20)"
                    let answer = try await proxy.get(path)
                    return answer.status == 200 && answer.body.hasSuffix(" \(path)") ? nil : "\(path): \(answer)"
                }
            }
            return try await group.reduce(into: []) { if let text = $1 { $0.append(text) } }
        }
        #expect(wrong.isEmpty)
        #expect(bench.origin.requests.count < 200)
        #expect(try await proxy.end(SIGTERM).status == 0)
    }

    @Test(arguments: [("disk", "; hit"), ("memory", "fwd=uri-miss")])
    func `after a restart, responses on disk are served, and the memory is empty`(tier: String, cache: String)
        async throws
    {
        let bench = try await CacheProxyBench()
        let before = try await bench.start(["--tier", tier])
        let stored = try await before.get("/fresh")
        #expect(try await before.end(SIGTERM).status == 0)
        if tier == "disk" { await bench.origin.stop() }
        let after = try await bench.start(["--tier", tier])
        let served = try await after.get("/fresh")
        #expect(served.status == 200 && (served.body == stored.body) == (tier == "disk"))
        #expect(served.value("Cache-Status")?.contains(cache) == true, "\(served.head)")
        #expect(try await after.end(SIGTERM).status == 0)
    }

    @Test func `killed while it stores, it starts again and serves whole bodies or asks the origin`() async throws {
        let bench = try await CacheProxyBench()
        let paths = (0..<40).map { "/large/\($0)" }
        var hits = 0
        for kill in 1...5 {
            let proxy = try await bench.start(["--tier", "disk"])
            let before = bench.origin.requests.count
            let asking = Task {
                await withTaskGroup(of: Void.self) { group in
                    for path in paths { group.addTask { _ = try? await proxy.get("\(path)?\(kill)") } }
                }
            }
            try await eventually("it is in the middle of them") { bench.origin.requests.count >= before + kill * 6 }
            #expect(try await proxy.end(SIGKILL).wasSignalled)
            await asking.value
            let next = try await bench.start(["--tier", "disk"])
            for path in paths {
                let answer = try await next.get("\(path)?\(kill)")
                let expected = CacheProxyBench.large("\(path)?\(kill)")
                #expect(answer.status == 200 && answer.body == expected, "kill \(kill), \(path): \(answer.head)")
                if answer.value("Cache-Status")?.contains("; hit") == true { hits += 1 }
            }
            #expect(try await next.end(SIGTERM).status == 0)
        }
        print("cache-proxy: \(hits) of \(5 * paths.count) responses outlived their kill")
    }
}
