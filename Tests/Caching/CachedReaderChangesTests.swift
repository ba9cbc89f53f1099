import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// Invalidation during fetches, and updates for subscribers.
struct CachedReaderChangesTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let server = TideServer()
    let cache: TwoTierCache
    let reader: CachedReader

    init() throws {
        directory = try TemporaryDirectory()
        cache = CacheKind.both.make(in: directory, clock: clock)
        reader = CachedReader(cache: cache, clock: clock, timer: ManualClock(), logger: .silent)
    }

    func read(_ policy: ReadPolicy = .cacheFirst, tags: Set<String> = ["tides"]) async throws(DomainError) -> Snapshot<
        Tide
    > {
        try await reader.read(Tide.self, .tide(), policy: policy, lifetime: .seconds(60), tags: tags) {
            [server] () async throws(DomainError) in try await server.read()
        }
    }

    /// A read whose fetch the server holds until the gate opens.
    func heldRead() async throws -> (Task<Snapshot<Tide>, any Error>, Gate) {
        let gate = Gate()
        await server.hold(at: gate)
        let early = Task { try await read() }
        try await eventually("the fetch has begun") { await server.reads == 1 }
        return (early, gate)
    }

    enum Change: CaseIterable, Sendable { case key, tag, all, keep }

    func apply(_ change: Change) async {
        switch change {
        case .key: await reader.invalidate(.tide(), .tide("other"))
        case .tag: await reader.invalidate(tag: "tides")
        case .all: await reader.invalidateAll()
        case .keep: await reader.keep(Tide.high, for: .tide(), lifetime: .seconds(60), tags: ["tides"])
        }
    }

    @Test(arguments: Change.allCases)
    func `a reader after a change does not join a fetch from before it`(change: Change) async throws {
        let (early, gate) = try await heldRead()
        await server.set(.high)
        await apply(change)
        await server.hold(at: nil)
        #expect(try await read().value == .high)
        gate.open()
        _ = try await early.value
        #expect(try await read().value == .high)
    }

    @Test func `an invalidation of another key does not affect a fetch`() async throws {
        let (early, gate) = try await heldRead()
        await reader.invalidate(.tide("other"))
        await reader.invalidate(tag: "other")
        gate.open()
        _ = try await early.value
        #expect(try await read() == Snapshot(.low, .cache(storedAt: clock.now)))
    }

    @Test func `an outdated not-found does not remove a newer value`() async throws {
        let gate = Gate()
        await server.hold(at: gate)
        await server.fail(with: .notFound("gone"))
        let early = Task { try await read() }
        try await eventually("the fetch has begun") { await server.reads == 1 }
        await apply(.keep)
        gate.open()
        await #expect(throws: DomainError.notFound("gone")) { try await early.value }
        #expect(try await read().value == .high)
    }

    @Test func `writes, reads and invalidations in any order never show a value older than the last write`()
        async throws
    {
        for _ in 0..<20 {
            for number in 1...20 {
                let tide = Tide(station: "BAR7", metres: Double(number))
                await withTaskGroup { group in
                    for _ in 0..<5 { group.addTask { _ = try? await read() } }
                    group.addTask { _ = try? await read(.refresh) }
                    group.addTask {
                        await server.set(tide)
                        await reader.invalidate(tag: "tides")
                    }
                    for _ in 0..<5 { group.addTask { _ = try? await read() } }
                }
                #expect(try await read().value == tide)
            }
        }
    }

    @Test func `subscribers get each stored value, and the newest one when they are slow`() async throws {
        var updates = reader.updates(Tide.self, for: .tide()).makeAsyncIterator()
        _ = try await read()
        #expect(await updates.next()?.value == .low)
        for metres in 1...5 { await reader.keep(Tide(station: "BAR7", metres: Double(metres)), for: .tide()) }
        #expect(await updates.next()?.value.metres == 5)
    }

    @Test func `a background refresh reaches subscribers, and a void one does not`() async throws {
        _ = try await read()
        clock.advance(by: .seconds(61))
        await server.set(.high)
        let gate = Gate()
        await server.hold(at: gate)
        var updates = reader.updates(Tide.self, for: .tide()).makeAsyncIterator()
        _ = try await read()
        try await eventually("the refresh has begun") { await server.reads == 2 }
        let newest = Tide(station: "BAR7", metres: 9)
        await reader.keep(newest, for: .tide())
        gate.open()
        await reader.drain(upTo: .seconds(1))
        #expect(await updates.next()?.value == newest)
        await reader.keep(Tide.low, for: .tide())
        #expect(await updates.next()?.value == .low)
    }

    @Test func `a subscription ends with its task`() async throws {
        let reader = reader
        let watching = Task { for await _ in reader.updates(Tide.self, for: .tide()) {} }
        try await eventually("it watches") { reader.feed.count(of: Tide.self, for: .tide()) == 1 }
        watching.cancel()
        await watching.value
        #expect(reader.feed.count(of: Tide.self, for: .tide()) == 0)
    }

    // MARK: - Equal values

    @Test func `an equal value is not published`() async throws {
        let seen = Mutex<[Tide]>([])
        let updates = reader.updates(Tide.self, for: .tide())
        let watching = Task { for await update in updates { seen.withLock { $0.append(update.value) } } }
        defer { watching.cancel() }
        _ = try await read()
        try await eventually("the first is news") { seen.withLock { $0.count } == 1 }
        let ways: [() async throws -> Void] = [
            { _ = try await read(.refresh) },
            { await reader.keep(Tide.low, for: .tide(), lifetime: .seconds(60), tags: ["tides"]) },
            {
                await reader.invalidate(tag: "tides")
                _ = try await read()
            },
            {
                clock.advance(by: .seconds(61))
                _ = try await read()
                await reader.drain(upTo: .seconds(1))
            },
        ]
        for way in ways {
            try await way()
            // Time for news that should not be there.
            for _ in 0..<1000 { await Task.yield() }
        }
        #expect(await server.reads == 4)
        await reader.keep(Tide.high, for: .tide())
        try await eventually("the other is news") { seen.withLock { $0.last } == .high }
        #expect(seen.withLock { $0 } == [.low, .high])
    }

    @Test func `a value read before the subscription is not published again`() async throws {
        await reader.keep(Tide.low, for: .tide(), lifetime: .seconds(60))
        var updates = reader.updates(Tide.self, for: .tide()).makeAsyncIterator()
        _ = try await read()
        clock.advance(by: .seconds(61))
        _ = try await read(.refresh)
        await server.set(.high)
        _ = try await read(.refresh)
        #expect(await updates.next()?.value == .high)
    }

    @Test func `a value of another process is published once it is read`() async throws {
        _ = try await read()
        let other = CacheKind.disk.make(in: directory, clock: clock)
        let ours = CachedReader(cache: other, clock: clock, timer: ManualClock(), logger: .silent)
        var updates = ours.updates(Tide.self, for: .tide()).makeAsyncIterator()
        _ = try await ours.read(Tide.self, .tide(), policy: .cacheOnly) { () throws(DomainError) in .low }
        clock.advance(by: .seconds(1))
        await reader.keep(Tide.high, for: .tide())
        _ = try await ours.read(Tide.self, .tide(), policy: .cacheOnly) { () throws(DomainError) in .low }
        #expect(await updates.next() == Snapshot(.high, .cache(storedAt: clock.now)))
    }

    private struct Plain: Codable, Sendable { var name: String }

    @Test func `values without equality are compared by their JSON`() {
        #expect(areEqual(Plain(name: "a"), Plain(name: "a")))
        #expect(!areEqual(Plain(name: "a"), Plain(name: "b")))
        #expect(areEqual([Tide.low], [Tide.low]) && !areEqual([Tide.low], [Tide.high]))
        #expect(!areEqual([Tide.low], []))
    }

    // MARK: - Other caches

    /// Notes what it hears, and looks into the reader's cache then.
    private actor Listener: InvalidationObserver {
        private(set) var heard: [Invalidation] = []
        func invalidated(_ invalidation: Invalidation) { heard.append(invalidation) }
    }

    @Test func `observers are told of each invalidation before it ends`() async throws {
        let listener = Listener()
        let reader = CachedReader(cache: cache, observers: [listener], clock: clock, logger: .silent)
        await reader.invalidate(.tide(), .tide("other"))
        await reader.invalidate(tag: "tides")
        await reader.keep(Tide.high, for: .tide())
        await reader.invalidateAll()
        #expect(
            await listener.heard == [.key(.tide()), .key(.tide("other")), .tag("tides"), .key(.tide()), .all])
    }
}
