import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// Windows for stale values, early refreshes, the policy that must ask, and the flow of cache, then network.
struct ReadOptionsTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let timer = ManualClock()
    let server = TideServer()
    let reader: CachedReader

    init() throws {
        directory = try TemporaryDirectory()
        let drawn = Drawn()
        self.drawn = drawn
        reader = CachedReader(
            cache: CacheKind.both.make(in: directory, clock: clock),
            leases: KeyLeases(directory: directory.path, logger: .silent),
            epochs: InvalidationEpochs(directory: directory.path, logger: .silent), clock: clock, timer: timer,
            random: { drawn.fraction.withLock { $0 } }, logger: .silent)
    }

    private let drawn: Drawn
    private final class Drawn: Sendable { let fraction = Mutex(0.999) }

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

    @Test func `who must ask never gets what is kept`() async throws {
        _ = try await read()
        await server.set(.high)
        #expect(try await read(.mustAsk) == Snapshot(.high, .server))
        #expect(try await read() == Snapshot(.high, .cache(storedAt: clock.now)))
        await server.fail(with: .unavailable("down"))
        await #expect(throws: DomainError.unavailable("down")) { try await read(.mustAsk) }
        #expect(try await read().value == .high)
    }

    // MARK: - Early refresh

    /// A fetch that takes two seconds, so that with e⁻¹ a refresh is due when at most two are left.
    private func fetchInTwoSeconds() async throws {
        let gate = Gate()
        await server.hold(at: gate)
        async let first = read()
        await eventually("it fetches") { await server.reads == 1 }
        timer.advance(by: .seconds(2))
        gate.open()
        _ = try await first
        await server.hold(at: nil)
        await server.set(.high)
        drawn.fraction.withLock { $0 = exp(-1.0) }
    }

    @Test(arguments: [(57.9, false), (58.1, true)])
    func `a value near its end is refreshed behind while it is still fresh`(age: Double, isDue: Bool) async throws {
        try await fetchInTwoSeconds()
        let storedAt = clock.now
        clock.advance(by: .seconds(age))
        #expect(try await read() == Snapshot(.low, .cache(storedAt: storedAt)))
        await reader.drain(upTo: .seconds(1))
        #expect(await server.reads == (isDue ? 2 : 1))
        #expect(try await read().value == (isDue ? .high : .low))
    }

    @Test func `a value that must live exactly as long as it says is not refreshed early`() async throws {
        try await fetchInTwoSeconds()
        clock.advance(by: .seconds(59.9))
        _ = try await read(.cacheFirst, ReadOptions(lifetime: .seconds(60), earlyRefresh: .never))
        await reader.drain(upTo: .seconds(1))
        #expect(await server.reads == 1)
    }

    @Test func `ten thousand readers near the end cause one early refresh`() async throws {
        try await fetchInTwoSeconds()
        clock.advance(by: .seconds(59.9))
        let gate = Gate()
        await server.hold(at: gate)
        await withTaskGroup { group in
            for _ in 0..<10_000 {
                group.addTask {
                    let value = try? await read().value
                    #expect(value == .low)
                }
            }
        }
        gate.open()
        await reader.drain(upTo: .seconds(1))
        #expect(await server.reads == 2)
    }

    @Test func `an early refresh leaves it to the process that is at it`() async throws {
        try await fetchInTwoSeconds()
        clock.advance(by: .seconds(59.9))
        let others = KeyLeases(directory: directory.path, logger: .silent)
        try await others.withLease(LeaseKey(.tide()), upTo: .zero) { grant in
            #expect(grant == .atOnce)
            let value = try await read().value
            #expect(value == .low)
            #expect(await reader.drain(upTo: .seconds(1)))
        }
        #expect(await server.reads == 1)
    }

    @Test func `a failed early refresh is nobody's error`() async throws {
        try await fetchInTwoSeconds()
        clock.advance(by: .seconds(59.9))
        await server.fail(with: .unavailable("down"))
        for _ in 0..<2 {
            #expect(kind(try await read()) == "cache")
            await reader.drain(upTo: .seconds(1))
        }
        #expect(await server.reads == 3)
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

    @Test func `the flow brings what is kept, then what the server says if it is something else`() async throws {
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
        for try await _ in reader.cacheThenNetwork(
            Tide.self, .tide(),
            fetch: { [server] () async throws(DomainError) in try await server.read() })
        {
            await eventually("it fetches") { await server.reads == 2 }
            break
        }
        #expect(await reader.drain(upTo: .seconds(1)))
    }
}
