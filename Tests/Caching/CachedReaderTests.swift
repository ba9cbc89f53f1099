import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// A server that answers reads, counts them, and can be told to fail or to wait.
actor TideServer {
    private(set) var reads = 0
    var tide = Tide.low
    var failure: DomainError?
    var gate: Gate?

    func set(_ tide: Tide) { self.tide = tide }
    func fail(with failure: DomainError?) { self.failure = failure }
    func hold(at gate: Gate?) { self.gate = gate }

    func read() async throws(DomainError) -> Tide {
        reads += 1
        // The answer is made before the wait, like one that is under way while the data changes.
        let answer = tide
        if let gate { do { try await gate.wait() } catch { throw .cancelled } }
        if let failure { throw failure }
        return answer
    }
}

struct CachedReaderTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let timer = ManualClock()
    let server = TideServer()
    let cache: TwoTierCache
    let reader: CachedReader

    init() throws {
        directory = try TemporaryDirectory()
        cache = CacheKind.both.make(in: directory, clock: clock)
        reader = CachedReader(cache: cache, clock: clock, timer: timer, logger: .silent)
    }

    func read(_ policy: ReadPolicy = .cacheFirst, _ key: CacheKey = .tide()) async throws(DomainError) -> Snapshot<Tide>
    {
        try await reader.read(Tide.self, key, policy: policy, lifetime: .seconds(60), tags: ["tides"]) {
            [server] () async throws(DomainError) in try await server.read()
        }
    }

    /// Puts a low tide into the cache and lets it become stale; the server has a high one since.
    func prepareStale() async throws -> Date {
        _ = try await read()
        let storedAt = clock.now
        clock.advance(by: .seconds(61))
        await server.set(.high)
        return storedAt
    }

    // MARK: - Cache first

    @Test func `a miss asks the server and stores the value`() async throws {
        #expect(try await read() == Snapshot(.low, .server))
        #expect(try await read() == Snapshot(.low, .cache(storedAt: clock.now)))
        #expect(await server.reads == 1)
    }

    @Test func `a stale value is served at once while one refresh runs in the background`() async throws {
        let storedAt = try await prepareStale()
        let gate = Gate()
        await server.hold(at: gate)
        #expect(try await read() == Snapshot(.low, .stale(storedAt: storedAt, reason: "refreshing in the background")))
        #expect(try await read() == Snapshot(.low, .stale(storedAt: storedAt, reason: "refreshing in the background")))
        gate.open()
        #expect(await reader.drain(upTo: .seconds(1)))
        #expect(try await read() == Snapshot(.high, .cache(storedAt: clock.now)))
        #expect(await server.reads == 2)
    }

    @Test func `ten thousand readers of one stale value cause one refresh`() async throws {
        _ = try await prepareStale()
        let answers = await withTaskGroup { group in
            for _ in 0..<10_000 { group.addTask { try? await read().value } }
            return await group.reduce(into: [Tide?: Int]()) { $0[$1, default: 0] += 1 }
        }
        await reader.drain(upTo: .seconds(1))
        #expect(answers[nil] == nil && answers.values.reduce(0, +) == 10_000)
        #expect(await server.reads == 2)
    }

    @Test func `a thousand readers of a missing value cause one fetch`() async throws {
        let answers = await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { try? await read().value } }
            return await group.reduce(into: Set<Tide?>()) { $0.insert($1) }
        }
        #expect(answers == [.low])
        #expect(await server.reads == 1)
    }

    @Test func `a failed background refresh leaves the stale value, and the next reader tries again`() async throws {
        let storedAt = try await prepareStale()
        await server.fail(with: .unavailable("down"))
        for _ in 0..<3 {
            #expect(
                try await read() == Snapshot(.low, .stale(storedAt: storedAt, reason: "refreshing in the background")))
            await reader.drain(upTo: .seconds(1))
        }
        #expect(await server.reads == 4)
        await server.fail(with: nil)
        _ = try await read()
        await reader.drain(upTo: .seconds(1))
        #expect(try await read().value == .high)
    }

    @Test func `a failed fetch reaches all its waiters, and the next read tries again`() async throws {
        let gate = Gate()
        await server.hold(at: gate)
        await server.fail(with: .unavailable("down"))
        let readers = (0..<50).map { _ in Task { try await read() } }
        try await eventually("the fetch has begun") { await server.reads == 1 }
        try await eventually("all wait") { reader.waiting == 50 }
        gate.open()
        for reader in readers {
            await #expect(throws: DomainError.unavailable("down")) { try await reader.value }
        }
        #expect(await server.reads == 1)
        await server.fail(with: nil)
        #expect(try await read().value == .low)
    }

    @Test func `the next read reports a refused session in place of the cached value`() async throws {
        _ = try await prepareStale()
        await server.fail(with: .unauthorized("log in"))
        _ = try await read()
        await reader.drain(upTo: .seconds(1))
        for _ in 0..<2 { await #expect(throws: DomainError.unauthorized("log in")) { try await read() } }
        await server.fail(with: .unavailable("down"))
        #expect(try await read().value == .low)
        await server.fail(with: nil)
        #expect(try await read() == Snapshot(.high, .server))
        #expect(try await read() == Snapshot(.high, .cache(storedAt: clock.now)))
    }

    @Test(arguments: [DomainError.notFound("gone"), .forbidden("no")])
    func `a value that the server no longer shows is removed`(error: DomainError) async throws {
        _ = try await prepareStale()
        await server.fail(with: error)
        _ = try await read()
        await reader.drain(upTo: .seconds(1))
        await #expect(throws: error) { try await read() }
        await #expect(throws: DomainError.self) { try await read(.cacheOnly) }
    }

    // MARK: - Refresh

    @Test func `a refresh asks the server although the value is fresh`() async throws {
        _ = try await read()
        await server.set(.high)
        #expect(try await read(.refresh) == Snapshot(.high, .server))
        #expect(try await read() == Snapshot(.high, .cache(storedAt: clock.now)))
    }

    @Test(arguments: [DomainError.unavailable("no route"), .busy("slow"), .busy("limit", retryAfter: .seconds(3))])
    func `a refresh falls back to the cached value with the reason`(error: DomainError) async throws {
        _ = try await read()
        await server.fail(with: error)
        #expect(try await read(.refresh) == Snapshot(.low, .stale(storedAt: clock.now, reason: error.description)))
        await #expect(throws: error) { try await read(.refresh, .tide("unknown")) }
    }

    @Test(arguments: [
        DomainError.unauthorized("a"), .forbidden("b"), .notFound("c"), .validation("d"), .conflict("e"), .storage("f"),
        .cancelled, .unexpected("g"),
    ])
    func `a refresh never hides any other failure`(error: DomainError) async throws {
        _ = try await read()
        await server.fail(with: error)
        await #expect(throws: error) { try await read(.refresh) }
    }

    @Test func `a forced refresh is not content with a flight that found a fresh value`() async throws {
        let storedAt = try await prepareStale()
        await reader.keep(Tide.high, for: .tide(), lifetime: .seconds(60), tags: ["tides"])
        _ = storedAt
        await server.set(Tide(station: "BAR7", metres: 9))
        async let plain = read()
        async let forced = read(.refresh)
        let snapshots = try await [plain, forced]
        #expect(snapshots[1] == Snapshot(Tide(station: "BAR7", metres: 9), .server))
    }

    // MARK: - Cache only

    @Test func `cache only never asks the server`() async throws {
        let error = await #expect(throws: DomainError.self) { try await read(.cacheOnly) }
        guard case .unavailable(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("/tides/BAR7") && !text.contains("ada"))
        #expect(await server.reads == 0)
        let storedAt = try await prepareStale()
        #expect(
            try await read(.cacheOnly)
                == Snapshot(.low, .stale(storedAt: storedAt, reason: "the network was not asked")))
        clock.advance(by: .seconds(29 * 86_400))
        #expect(try await read(.cacheOnly).value == .low)
        clock.advance(by: .seconds(2 * 86_400))
        await #expect(throws: DomainError.self) { try await read(.cacheOnly) }
        #expect(await server.reads == 1)
    }

    @Test func `one key read as two types is two flights`() async throws {
        async let tide = read()
        async let text = reader.read(String.self, .tide()) { "text" }
        #expect(try await tide.value == .low)
        #expect(try await text.value == "text")
    }

    // MARK: - Cancellation

    @Test func `a background refresh goes on when the reader that joined it leaves`() async throws {
        _ = try await prepareStale()
        let gate = Gate()
        await server.hold(at: gate)
        _ = try await read()
        let joined = Task { try await read(.refresh) }
        try await eventually("it waits") { reader.waiting == 2 }
        joined.cancel()
        await #expect(throws: DomainError.cancelled) { try await joined.value }
        gate.open()
        #expect(await reader.drain(upTo: .seconds(1)))
        #expect(try await read().value == .high)
        #expect(await server.reads == 2)
    }

    // MARK: - Drain

    @Test func `draining waits for background refreshes until its limit`() async throws {
        _ = try await prepareStale()
        let gate = Gate()
        await server.hold(at: gate)
        _ = try await read()
        async let drained = reader.drain(upTo: .seconds(2))
        await timer.waitForSleeper(dueIn: .seconds(2)...(.seconds(2)))
        timer.advance(by: .seconds(2))
        #expect(await !drained)
        async let again = reader.drain(upTo: .seconds(2))
        await timer.waitForSleeper()
        gate.open()
        #expect(await again)
        #expect(await reader.drain(upTo: .zero))
    }

    @Test func `a program that exits cancels the background refreshes that are left, and starts no other`() async throws
    {
        _ = try await prepareStale()
        let gate = Gate()
        await server.hold(at: gate)
        _ = try await read()
        try await eventually("it waits") { reader.waiting == 1 }
        reader.cancelBackground()
        #expect(await reader.drain(upTo: .seconds(2)), "the cancelled fetch has ended")
        _ = try await read()
        #expect(reader.waiting == 0)
        #expect(await reader.drain(upTo: .zero))
    }
}
