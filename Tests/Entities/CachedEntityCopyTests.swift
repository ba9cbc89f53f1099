import FoundationEssentials
import StrataCaching
import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

/// Reads that follow from a list which is stored under another key.
@Suite struct `Specimens of a stored list` {
    private let server = FakeEntityRepository(.example("s-1"))
    private let clock = ManualWallClock()
    private let timer = ManualClock()
    private let connectivity = ManualConnectivity()
    private let reader: CachedReader
    private let repository: CachedEntityRepository<Specimen>
    private let id = Specimen.ID("s-1")

    init() {
        reader = CachedReader(
            cache: TwoTierCache(directory: nil, clock: clock), connectivity: connectivity, clock: clock, timer: timer)
        repository = CachedEntityRepository<Specimen>(remote: server, reader: reader, principal: "ada@test")
    }

    private var calls: Int { server.current.policies.count }

    /// Stores the list of all; later the server accepts a read and stays silent.
    private func storedList(age: Duration) async throws -> Gate {
        _ = try await repository.list(.cacheFirst)
        clock.advance(by: age)
        let gate = Gate()
        server.change { $0.duringRead = { _ in try? await gate.wait() } }
        return gate
    }

    @Test func `lists and entities follow from a fresh list without a request`() async throws {
        _ = try await storedList(age: .seconds(1))
        let found = try await repository.list(EntityQuery(limit: 2), .cacheFirst)
        #expect(found.value == [.example("s-1")] && found.origin == .cache(storedAt: clock.now.addingTimeInterval(-1)))
        #expect(try await repository.get(id, .cacheFirst).origin == .cache(storedAt: clock.now.addingTimeInterval(-1)))
        #expect(calls == 1)
    }

    @Test func `a stale list stands in for a silent server after 150 ms, and the end of a command cuts the read off`()
        async throws
    {
        let gate = try await storedList(age: .seconds(301))
        async let list = repository.list(EntityQuery(limit: 2), .cacheFirst)
        await timer.waitForSleeper(dueIn: .milliseconds(150))
        timer.advance(by: .milliseconds(150))
        let found = try await list
        #expect(found.value == [.example("s-1")])
        guard case .stale(_, "the server has not answered yet") = found.origin else {
            Issue.record("\(found.origin)")
            return
        }
        async let drained = reader.drain(upTo: .milliseconds(200))
        await timer.waitForSleeper(dueIn: .milliseconds(200))
        timer.advance(by: .milliseconds(200))
        #expect(await !drained)
        reader.cancelBackground()
        #expect(await reader.drain(upTo: .seconds(1)), "nothing is left")
        withExtendedLifetime(gate) {}
    }

    @Test func `a server that answers in time is shown`() async throws {
        _ = try await repository.list(.cacheFirst)
        clock.advance(by: .seconds(301))
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        #expect(try await repository.list(EntityQuery(limit: 2), .cacheFirst).value.map(\.version) == [4])
    }

    @Test func `an entity that the server no longer has is not shown from a stale list`() async throws {
        let gate = try await storedList(age: .seconds(301))
        gate.open()
        server.change { $0.failure = .notFound("gone") }
        await #expect(throws: DomainError.notFound("gone")) { try await repository.get(id, .cacheFirst) }
    }

    @Test func `a list of the beginning does not stand in for a longer one without a word`() async throws {
        server.change { $0.items = [.example("s-1"), .example("s-2"), .example("s-3")] }
        _ = try await repository.list(EntityQuery(limit: 2), .cacheFirst)
        server.change { $0.failure = .unavailable("refused") }
        let longer = try await repository.list(EntityQuery(limit: 3), .cacheFirst)
        #expect(longer.value.count == 2)
        if case .stale = longer.origin {} else { Issue.record("\(longer.origin)") }
        #expect(try await repository.list(EntityQuery(limit: 1), .cacheFirst).origin == .cache(storedAt: clock.now))
    }

    @Test func `while the machine is offline, a read with a copy sends nothing, and one without asks`() async throws {
        _ = try await storedList(age: .seconds(301)).open()
        connectivity.set(.offline)
        for found in [
            try await repository.list(.cacheFirst).origin,
            try await repository.list(EntityQuery(limit: 2), .cacheFirst).origin,
            try await repository.get(id, .cacheFirst).origin,
        ] {
            guard case .stale(_, "this machine is offline") = found else {
                Issue.record("\(found)")
                return
            }
        }
        #expect(calls == 1)
        #expect(try await repository.list(.refresh).origin == .server, "an explicit refresh asks")
        #expect(calls == 2)
    }

    @Test func `stored ids are those of lists and of what was shown`() async throws {
        #expect(try await repository.storedIDs(with: "s").isEmpty)
        _ = try await repository.get(id, .cacheFirst)
        #expect(try await repository.storedIDs(with: "s") == [id])
        server.change { $0.items.append(.example("s-2")) }
        _ = try await repository.list(.cacheFirst)
        #expect(try await Set(repository.storedIDs(with: "s").map(\.rawValue)) == ["s-1", "s-2"])
        #expect(try await repository.storedIDs(with: "-2").map(\.rawValue) == ["s-2"])
        #expect(calls == 2)
    }
}
