import Observation
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataPresentation
import StrataTesting
import Testing

@testable import SpecimensDomain

/// What a view shows of a list that is read through the cache, and followed.
@Suite @MainActor struct `A list of specimens that is followed` {
    private let server = FakeEntityRepository(.example("s-1"))
    private let connectivity = ManualConnectivity()
    private let clock = ManualWallClock()
    private let timer = ManualClock()
    private let reader: CachedReader
    private let model: EntityListModel<Specimen>
    private let repository: CachedEntityRepository<Specimen>

    init() {
        reader = CachedReader(
            cache: TwoTierCache(directory: nil, clock: clock), connectivity: connectivity, clock: clock, timer: timer)
        repository = CachedEntityRepository<Specimen>(remote: server, reader: reader, principal: "ada@test")
        model = EntityListModel(
            Specimens(repository, upkeep: ListUpkeep(connectivity: { [connectivity] in connectivity })))
    }

    private var calls: Int { server.current.policies.count }

    /// Follows the list while `body` runs.
    private func following(_ body: () async throws -> Void) async throws {
        let following = Task { [model, timer] in try await model.follow(every: .seconds(15), clock: timer) }
        do { try await body() } catch {
            following.cancel()
            throw error
        }
        following.cancel()
        try await following.value
    }

    /// How often what a view shows was assigned while `work` ran.
    private func notifications(_ work: () async throws -> Void) async rethrows -> Int {
        let view = ObservingView(model)
        try await work()
        return view.notifications
    }

    private func until(_ condition: () -> Bool) async throws {
        try await eventually("the view shows it", within: .seconds(10)) { condition() }
    }

    @Test func `a load shows the stored copy and then the fresh list`() async throws {
        _ = try await repository.list(.cacheFirst)
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        let model = model
        let shown = Mutex<[Int]>([])
        server.change {
            $0.duringRead = { _ in
                let versions = await model.items.map(\.version)
                shown.withLock { $0 = versions }
            }
        }
        await model.load()
        #expect(shown.withLock { $0 } == [3], "the copy is there while the server is asked")
        #expect(model.items.map(\.version) == [4] && model.origin == .server)
    }

    @Test func `identical data notifies no view, also of a stale copy that is confirmed`() async throws {
        await model.load()
        clock.advance(by: .seconds(301))
        let count = await notifications {
            for _ in 0..<10 { await model.load() }
        }
        #expect(count == 0)
        #expect(calls == 11)
    }

    @Test func `an outage marks the copy as stale, once`() async throws {
        await model.load()
        server.change { $0.failure = .unavailable("connection refused") }
        let count = await notifications {
            for _ in 0..<3 { await model.load() }
        }
        #expect(count == 1)
        #expect(model.items == [.example("s-1")] && model.error == nil)
        guard case .stale(_, let reason) = model.origin else {
            Issue.record("\(String(describing: model.origin))")
            return
        }
        #expect(reason == "connection refused")
    }

    @Test func `the list is read again at intervals, and identical data notifies no view`() async throws {
        try await following {
            try await until { !model.items.isEmpty && !model.isRefreshing }
            let before = calls
            let count = try await notifications {
                for _ in 0..<5 {
                    await timer.waitForSleeper()
                    let number = calls
                    timer.advance(by: .seconds(15))
                    try await until { calls > number }
                    try await until { !model.isRefreshing }
                }
            }
            #expect(count == 0)
            #expect(calls == before + 5)
        }
    }

    @Test func `nothing is sent while the network is away, and the list is read when it returns`() async throws {
        await model.load()
        clock.advance(by: .seconds(301))
        connectivity.set(.offline)
        try await following {
            try await until {
                if case .stale(_, "this machine is offline") = model.origin { !model.isOnline } else { false }
            }
            await timer.waitForSleeper()
            timer.advance(by: .seconds(15))
            #expect(calls == 1)
            server.change { $0.items = [.example("s-1", .other, version: 4)] }
            connectivity.set(.online)
            try await until { model.items.map(\.version) == [4] }
            #expect(model.isOnline && calls == 2)
        }
    }

    @Test func `a read that hangs when the network returns is given up`() async throws {
        await model.load()
        let gate = Gate()
        server.change { $0.duringRead = { number in if number == 2 { try? await gate.wait() } } }
        try await following {
            try await until { calls == 2 }
            connectivity.set(.offline)
            try await until { !model.isOnline }
            server.change { $0.items = [.example("s-1", .other, version: 4)] }
            connectivity.set(.online)
            try await until { model.items.map(\.version) == [4] }
            #expect(calls == 3)
        }
    }

    @Test func `an own write is shown at once, and loses nothing`() async throws {
        try await following {
            try await until { !model.items.isEmpty && !model.isRefreshing }
            let added = try await repository.create(.other)
            try await until { model.items.map(\.id).contains(added.id) }
        }
    }

    @Test func `an error of the work beside ends it`() async throws {
        let model = EntityListModel(
            Specimens(repository, upkeep: ListUpkeep(work: { throw DomainError.conflict("another user") })))
        await #expect(throws: DomainError.conflict("another user")) { try await model.follow(clock: timer) }
    }
}

/// Counts how often it is notified.
@MainActor private final class ObservingView {
    private let model: EntityListModel<Specimen>
    private let count = Mutex(0)
    var notifications: Int { count.withLock { $0 } }

    init(_ model: EntityListModel<Specimen>) {
        self.model = model
        observe()
    }

    private func observe() {
        withObservationTracking {
            _ = (model.items, model.origin, model.isLoading, model.error, model.isOnline)
        } onChange: {
            self.count.withLock { $0 += 1 }
            Task { @MainActor in self.observe() }
        }
    }
}
