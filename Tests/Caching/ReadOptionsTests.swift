import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// Windows for stale values, the policy that must ask, and the flow of cache, then network.
struct ReadOptionsTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let timer = ManualClock()
    let server = TideServer()
    let reader: CachedReader

    init() throws {
        directory = try TemporaryDirectory()
        reader = CachedReader(
            cache: CacheKind.both.make(in: directory, clock: clock), clock: clock, timer: timer, logger: .silent)
    }

    func read(
        _ policy: ReadPolicy = .cacheFirst, _ options: ReadOptions = ReadOptions(lifetime: .seconds(60))
    ) async throws(DomainError) -> Snapshot<Tide> {
        try await reader.read(Tide.self, .tide(), policy: policy, options: options) {
            [server] () async throws(DomainError) in try await server.read()
        }
    }

    /// How a read answered, in a word.
    func kind(_ snapshot: Snapshot<Tide>?) -> String {
        switch snapshot?.origin {
        case .server?: "server"
        case .cache?: "cache"
        case .stale?: "stale"
        case .local?: "local"
        case nil: "error"
        }
    }

    // MARK: - Windows

    @Test(
        arguments: [
            // Age, windows for revalidating and for errors, and what is shown when the server is up and when it is down.
            (59, 0, 0, "cache", "cache"), (60, 0, 0, "server", "error"), (60, 10, 0, "stale", "stale"),
            (69, 10, 0, "stale", "stale"), (70, 10, 0, "server", "error"), (70, 10, 20, "server", "stale"),
            (79, 0, 20, "server", "stale"), (80, 0, 20, "server", "error"), (80, nil, 0, "stale", "stale"),
            (80, 10, nil, "server", "stale"), (2_500_000, nil, nil, "stale", "stale"), (60, -5, -5, "server", "error"),
            (3_000_000, nil, nil, "server", "error"),
        ] as [(Int, Int?, Int?, String, String)])
    func `a stale value is shown within its windows`(
        age: Int, revalidate: Int?, error: Int?, up: String, down: String
    ) async throws {
        for (isUp, expected) in [(true, up), (false, down)] {
            await reader.invalidateAll()
            await server.fail(with: nil)
            _ = try await read()
            clock.advance(by: .seconds(age))
            if !isUp { await server.fail(with: .unavailable("down")) }
            let options = ReadOptions(
                lifetime: .seconds(60), staleWhileRevalidate: revalidate.map { .seconds($0) },
                staleIfError: error.map { .seconds($0) })
            let snapshot = try? await read(.cacheFirst, options)
            #expect(kind(snapshot) == expected)
            await reader.drain(upTo: .seconds(1))
        }
    }

    @Test func `a refresh falls back within the window for errors only`() async throws {
        let options = ReadOptions(lifetime: .seconds(60), staleIfError: .seconds(10))
        _ = try await read()
        await server.fail(with: .busy("slow"))
        clock.advance(by: .seconds(69))
        #expect(try await read(.refresh, options) == Snapshot(.low, .stale(storedAt: clock.now - 69, reason: "slow")))
        clock.advance(by: .seconds(1))
        await #expect(throws: DomainError.busy("slow")) { try await read(.refresh, options) }
    }

    @Test func `a read that must ask never gets a cached value`() async throws {
        _ = try await read()
        await server.set(.high)
        #expect(try await read(.mustAsk) == Snapshot(.high, .server))
        #expect(try await read() == Snapshot(.high, .cache(storedAt: clock.now)))
        await server.fail(with: .unavailable("down"))
        await #expect(throws: DomainError.unavailable("down")) { try await read(.mustAsk) }
        #expect(try await read().value == .high)
    }

    // MARK: - Cache, then network

    private func flow() async -> [String] {
        var seen: [String] = []
        let flow = reader.cacheThenNetwork(Tide.self, .tide(), options: ReadOptions(lifetime: .seconds(60))) {
            [server] () async throws(DomainError) in try await server.read()
        }
        do {
            for try await snapshot in flow { seen.append("\(kind(snapshot)) \(snapshot.value.metres)") }
        } catch {
            seen.append("\(error)")
        }
        return seen
    }

    @Test func `the flow yields the cached value, then the server's value if it differs`() async throws {
        #expect(await flow() == ["server 0.4"])
        #expect(await flow() == ["cache 0.4"])
        await server.set(.high)
        #expect(await flow() == ["cache 0.4", "server 3.9"])
        clock.advance(by: .seconds(61))
        #expect(await flow() == ["stale 3.9"])
        await server.fail(with: .unavailable("down"))
        #expect(await flow() == ["cache 3.9", "stale 3.9"])
        await server.fail(with: .forbidden("no"))
        #expect(await flow() == ["cache 3.9", "no"])
        #expect(await flow() == ["no"])
    }

    @Test func `leaving the flow cancels its fetch`() async throws {
        _ = try await read()
        await server.hold(at: Gate())
        let following = Task { [reader, server] in
            for try await _ in reader.cacheThenNetwork(
                Tide.self, .tide(), fetch: { () async throws(DomainError) in try await server.read() })
            {}
        }
        try await eventually("it fetches") { await server.reads == 2 }
        following.cancel()
        try? await following.value
        try await eventually("nothing is fetched") { reader.waiting == 0 }
    }
}
