import Foundation
import GRDB
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

/// Leases and generations of two caches on one directory, which are like two processes.
struct SharingTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let ours: TwoTierCache
    let theirs: TwoTierCache

    init() throws {
        directory = try TemporaryDirectory()
        ours = CacheKind.both.make(in: directory, clock: clock)
        theirs = CacheKind.both.make(in: directory, clock: clock)
    }

    // MARK: - Leases

    @Test func `a reader that waits for no other process asks at once`() async throws {
        let generation = await theirs.generation(of: .tide(), tags: [])
        #expect(await theirs.acquireLease(for: .tide(), in: generation))
        let reader = CachedReader(cache: ours, leaseWait: nil, timer: ManualClock(), logger: .silent)
        let tide = try await reader.read(Tide.self, .tide()) { () throws(DomainError) in .low }
        #expect(tide.value == .low)
        #expect(await !ours.acquireLease(for: .tide(), in: generation), "it took no lease from the other")
    }

    @Test func `a lease is free until one caller has it, and again after its release`() async {
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        #expect(await !theirs.acquireLease(for: .tide(), in: .first))
        #expect(await theirs.acquireLease(for: .tide("other"), in: .first))
        #expect(await theirs.acquireLease(for: .tide(principal: "bob"), in: .first))
        await theirs.releaseLease(for: .tide(), in: .first)
        #expect(await !theirs.acquireLease(for: .tide(), in: .first), "only its owner releases it")
        await ours.releaseLease(for: .tide(), in: .first)
        #expect(await theirs.acquireLease(for: .tide(), in: .first))
    }

    @Test func `a late release does not end the lease of the next leader`() async {
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        #expect(await ours.acquireLease(for: .tide(), in: .first), "its owner has it already")
        await ours.releaseLease(for: .tide(), in: .first)
        #expect(await !theirs.acquireLease(for: .tide(), in: .first))
        await ours.releaseLease(for: .tide(), in: .first)
        #expect(await theirs.acquireLease(for: .tide(), in: .first))
        await ours.releaseLease(for: .tide(), in: .first)
        #expect(await !ours.acquireLease(for: .tide(), in: .first))
    }

    @Test(arguments: [-86_400.0, 61])
    func `a lease ends by itself, also when the clock is set back`(seconds: Double) async {
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        clock.advance(by: .seconds(59))
        #expect(await !theirs.acquireLease(for: .tide(), in: .first))
        clock.advance(by: .seconds(seconds - 59))
        #expect(await theirs.acquireLease(for: .tide(), in: .first))
    }

    @Test func `a lease of a process that is gone is free`() async throws {
        let gone = try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: [])
        gone.waitUntilExit()
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        let file = try #require(try databases(in: directory).last)
        try await DatabaseQueue(path: file).write {
            try $0.execute(sql: "UPDATE lease SET process = ?", arguments: [gone.processIdentifier])
        }
        #expect(await theirs.acquireLease(for: .tide(), in: .first))
    }

    @Test func `a lease of a process whose id another process has now is free`() async throws {
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        #expect(await !theirs.acquireLease(for: .tide(), in: .first))
        let file = try #require(try databases(in: directory).last)
        try await DatabaseQueue(path: file).write { try $0.execute(sql: "UPDATE lease SET start = start - 1") }
        #expect(await theirs.acquireLease(for: .tide(), in: .first))
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .milliseconds(500), .seconds(-1)])
    func `a wait for a lease ends at its limit, without the lease`(limit: Duration) async throws {
        let timer = ManualClock()
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        let waiting = Task { [theirs] in
            try await waitForLease(upTo: limit, on: MonotonicTime(timer)) {
                await theirs.acquireLease(for: .tide(), in: .first)
            }
        }
        var waited = Duration.zero
        while waited < limit {
            await timer.waitForSleeper()
            let pause = try #require(timer.waits.first)
            #expect(pause > .zero && pause <= .milliseconds(20))
            timer.advance(by: pause)
            waited += pause
        }
        #expect(try await !waiting.value)
    }

    @Test func `a wait for a lease ends with its release or with its task`() async throws {
        let timer = ManualClock()
        #expect(await ours.acquireLease(for: .tide(), in: .first))
        let waits = (0..<2).map { _ in
            Task { [theirs] in
                try await waitForLease(upTo: .seconds(9), on: MonotonicTime(timer)) {
                    await theirs.acquireLease(for: .tide(), in: .first)
                }
            }
        }
        await timer.waitForSleeper(count: 2)
        waits[1].cancel()
        await #expect(throws: CancellationError.self) { try await waits[1].value }
        await ours.releaseLease(for: .tide(), in: .first)
        await timer.waitForSleeper()
        timer.advance(by: .milliseconds(20))
        #expect(try await waits[0].value)
    }

    // MARK: - Generations

    enum Change: CaseIterable, Sendable { case key, tag, all, store, clear }

    private func apply(_ change: Change, to cache: TwoTierCache) async throws {
        switch change {
        case .key: await cache.remove(.tide())
        case .tag: await cache.removeAll(tagged: "tides")
        case .all: await cache.removeAll()
        case .store: await cache.store(Tide.high, for: .tide(), lifetime: .seconds(60), tags: [])
        case .clear: try await cache.clear()
        }
    }

    @Test(arguments: Change.allCases, [false, true])
    func `a value is not stored after an invalidation of what it depends on`(
        change: Change, isOfAnother: Bool
    ) async throws {
        let generation = await ours.generation(of: .tide(), tags: ["tides", "harbour"])
        try await apply(change, to: isOfAnother ? theirs : ours)
        let isStored = await ours.store(
            Tide.low, for: .tide(), lifetime: .seconds(60), tags: ["tides", "harbour"], since: generation)
        #expect(!isStored)
        for cache in [ours, theirs] {
            #expect(await cache.value(Tide.self, for: .tide())?.value == (change == .store ? .high : nil))
        }
    }

    @Test func `a value is stored after an invalidation of something else`() async {
        let generation = await ours.generation(of: .tide(), tags: ["tides"])
        await theirs.remove(.tide("other"))
        await theirs.remove(.tide(principal: "bob"))
        await theirs.removeAll(tagged: "other")
        await ours.removeAll(tagged: "")
        #expect(await ours.store(Tide.low, for: .tide(), lifetime: .seconds(60), tags: ["tides"], since: generation))
        #expect(await theirs.value(Tide.self, for: .tide())?.value == .low)
    }
}

extension CacheGeneration {
    fileprivate static let first = CacheGeneration(local: 0, shared: 1)
}
