import StrataCaching
import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens through the cache` {
    private let server = FakeEntityRepository(.example("s-1"))
    private let clock = ManualWallClock()
    private let reader: CachedReader
    private let id = Specimen.ID("s-1")
    private static let changed =
        "The specimen 's-1' has changed since you read it; 'specimens show s-1 --refresh' shows it, then try again."
    private var repository: CachedEntityRepository<Specimen> {
        CachedEntityRepository<Specimen>(remote: server, reader: reader, principal: "ada@test")
    }

    init() { reader = CachedReader(cache: TwoTierCache(directory: nil, clock: clock), clock: clock) }

    private var calls: Int { server.current.policies.count }
    private func serverIsAway() { server.change { $0.failure = .unavailable("connection refused") } }

    @Test func `what is fresh is not asked for again`() async throws {
        #expect(try await repository.list(.cacheFirst).origin == .server)
        #expect(try await repository.list(.cacheFirst).origin == .cache(storedAt: clock.now))
        #expect(try await repository.list(.cacheFirst).value == [.example("s-1")])
        #expect(calls == 1)
        #expect(try await repository.list(.refresh).origin == .server)
        #expect(calls == 2)
    }

    @Test func `what is old is shown at once and refreshed behind`() async throws {
        _ = try await repository.list(.cacheFirst)
        server.change { $0.items = [.example("s-1", .other)] }
        clock.advance(by: .seconds(301))
        #expect(try await repository.list(.cacheFirst).value == [.example("s-1")])
        await reader.drain(upTo: .seconds(5))
        #expect(try await repository.list(.cacheFirst).value == [.example("s-1", .other)])
    }

    @Test func `what is kept stays while the server is away, and is marked`() async throws {
        _ = try await repository.list(.cacheFirst)
        serverIsAway()
        let list = try await repository.list(.refresh)
        #expect(list.value == [.example("s-1")])
        guard case .stale(clock.now, let reason) = list.origin else {
            Issue.record("\(list.origin)")
            return
        }
        #expect(reason.contains("connection refused"))
        #expect(try await repository.get(id, .cacheFirst).value == .example("s-1"))
    }

    @Test func `without anything kept an outage is said`() async {
        serverIsAway()
        await #expect(throws: DomainError.self) { try await repository.list(.cacheFirst) }
        await #expect(throws: DomainError.self) { try await repository.get(id, .cacheOnly) }
    }

    @Test func `another principal sees nothing of it`() async throws {
        _ = try await repository.list(.cacheFirst)
        _ = try await repository.get(id, .cacheFirst)
        let other = CachedEntityRepository<Specimen>(remote: server, reader: reader, principal: "bob@test")
        await #expect(throws: DomainError.self) { try await other.list(.cacheOnly) }
        await #expect(throws: DomainError.self) { try await other.get(id, .cacheOnly) }
    }

    @Test func `an own write is seen at once, also in an outage right after it`() async throws {
        _ = try await repository.list(.cacheFirst)
        let added = try await repository.create(.other)
        let edited = try await repository.update(id, to: .other, basedOn: 3)
        serverIsAway()
        #expect(try await repository.list(.cacheFirst).value == [added, edited])
        #expect(try await repository.get(id, .cacheFirst).value == edited)
    }

    enum Reading: CaseIterable { case list, show, offline }

    @Test(arguments: Reading.allCases)
    func `an edit or a removal is refused when a change of another client was never shown`(reading: Reading)
        async throws
    {
        let specimens = Specimens(repository)
        _ = try await specimens.list()
        if reading != .list { _ = try await specimens.get(id, .refresh) }
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        clock.advance(by: .seconds(301))
        // Shows the third version, and a refresh behind keeps the fourth.
        switch reading {
        case .list: #expect(try await specimens.list().value.map(\.version) == [3])
        case .show: #expect(try await specimens.get(id).value.version == 3)
        case .offline: #expect(try await specimens.get(id, .cacheOnly).value.version == 3)
        }
        await reader.drain(upTo: .seconds(5))

        // Again and again, until it is shown.
        for _ in 0..<2 {
            await #expect(throws: DomainError.conflict(Self.changed)) {
                try await specimens.update(id) { $0 = .least }
            }
            await #expect(throws: DomainError.conflict(Self.changed)) {
                try await specimens.delete(id)
            }
        }
        #expect(server.current.items == [.example("s-1", .other, version: 4)])
        #expect(try await specimens.get(id, .refresh).value.version == 4)
        #expect(try await specimens.update(id) { $0 = .least }.version == 5)
        #expect(try await specimens.update(id) { $0 = .other }.version == 6, "an own edit counts as shown")
        try await specimens.delete(id)
    }

    @Test func `an edit of what the list shows newer than it is kept alone is put on the newer`() async throws {
        let specimens = Specimens(repository)
        _ = try await specimens.get(id)
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        #expect(try await specimens.list(.refresh).value.map(\.version) == [4])
        #expect(try await specimens.get(id).value.version == 3)
        #expect(try await specimens.update(id) { $0 = .least }.version == 5)
    }

    @Test func `each query has its own place in the cache, and a write invalidates all`() async throws {
        let queries: [EntityQuery<Specimen>] = [
            EntityQuery(filters: ["leg_count": .integer(8)]), EntityQuery(filters: ["leg_count": .integer(9)]),
            EntityQuery(search: "pet"), EntityQuery(sort: .init("leg_count")), EntityQuery(search: "pet", limit: 1),
            EntityQuery(),
        ]
        for query in queries + queries { _ = try await repository.list(query, .cacheFirst) }
        #expect(server.current.queries == queries)
        let added = try await repository.create(.other)
        for query in queries.dropLast() { _ = try await repository.list(query, .cacheFirst) }
        #expect(server.current.queries == queries + queries.dropLast())
        #expect(try await repository.list(queries[1], .cacheOnly).value == [added])
    }

    @Test func `in an outage a query is answered from the list of all`() async throws {
        let query = EntityQuery<Specimen>(filters: ["leg_count": .integer(8)])
        _ = try await repository.list(.cacheFirst)
        serverIsAway()
        #expect(try await repository.list(query, .cacheFirst).value == [.example("s-1")])
        #expect(try await repository.list(query, .cacheOnly).value == [.example("s-1")])
        #expect(try await repository.list(EntityQuery(search: "nothing"), .refresh).value.isEmpty)
        await #expect(throws: DomainError.self) { try await repository.list(query, .mustAsk) }
    }

    @Test func `a beginning of fewer entities than its limit is the list of all`() async throws {
        _ = try await repository.list(EntityQuery(limit: 2), .cacheFirst)
        #expect(try await repository.list(.cacheOnly).value == [.example("s-1")])
        #expect(try await repository.list(EntityQuery(search: "pet"), .cacheOnly).value == [.example("s-1")])
        #expect(calls == 1)
        // An own write may have filled it, so it does not tell any more.
        _ = try await repository.create(.other)
        await #expect(throws: DomainError.self) {
            try await repository.list(EntityQuery(search: "pet"), .cacheOnly)
        }
    }

    @Test func `of two stored lists the newer one is shown in an outage`() async throws {
        _ = try await repository.list(.cacheFirst)
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        clock.advance(by: .seconds(1))
        _ = try await repository.list(EntityQuery(limit: 9), .refresh)
        serverIsAway()
        #expect(try await repository.get(id, .cacheFirst).value.version == 4)
        let found = try await repository.list(EntityQuery(sort: .init("leg_count")), .cacheFirst)
        #expect(found.value.map(\.version) == [4])
    }

    @Test func `in an outage the beginning of the list shows its entities, and answers no filter`() async throws {
        server.change { $0.items = [.example("s-3", .other), .example("s-2"), .example("s-1")] }
        _ = try await repository.list(EntityQuery(limit: 2), .cacheFirst)
        clock.advance(by: .seconds(301))
        serverIsAway()
        #expect(try await repository.list(.cacheFirst).value.map(\.id.rawValue) == ["s-3", "s-2"])
        #expect(try await repository.get(Specimen.ID("s-2"), .cacheFirst).origin.isStale)
        await #expect(throws: DomainError.self) { try await repository.get(id, .cacheFirst) }
        await #expect(throws: DomainError.self) { try await repository.list(EntityQuery(search: "pet"), .cacheFirst) }
    }

    @Test func `an own write is seen in the beginning of the list`() async throws {
        server.change { $0.items = [.example("s-2"), .example("s-1")] }
        let beginning = EntityQuery<Specimen>(limit: 2)
        _ = try await repository.list(beginning, .cacheFirst)
        let added = try await repository.create(.other)
        serverIsAway()
        #expect(try await repository.list(beginning, .cacheFirst).value == [added, .example("s-2")])
    }

    @Test func `an edit of what only a query shows is put on the shown version`() async throws {
        let specimens = Specimens(repository)
        _ = try await specimens.list(EntityQuery(search: "pet"))
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        await #expect(throws: DomainError.conflict(Self.changed)) {
            try await specimens.update(id) { $0 = .least }
        }
    }

    @Test func `a list of a query is told of an own write`() async throws {
        let query = EntityQuery<Specimen>(search: "pet")
        _ = try await repository.list(query, .cacheFirst)
        var changes = repository.changes(of: query).makeAsyncIterator()
        await changes.next()
        let added = try await repository.create(.other)
        await changes.next()
        #expect(try await repository.list(query, .cacheFirst).value == [added, .example("s-1")])
    }

    @Test func `a write whose response was lost makes stored values stale, and takes none away`() async throws {
        _ = try await repository.list(.cacheFirst)
        _ = try await repository.get(id, .cacheFirst)
        for lost in [DomainError.unavailable("reset by peer"), .busy("timed out")] {
            server.change { $0.failure = lost }
            await #expect(throws: lost) { try await repository.update(id, to: .other, basedOn: 3) }
            for policy in [ReadPolicy.cacheFirst, .refresh, .cacheOnly] {
                let list = try await repository.list(policy)
                let item = try await repository.get(id, policy)
                #expect(list.value == [.example("s-1")] && item.value == .example("s-1"))
                #expect(list.origin.isStale && item.origin.isStale)
            }
            await reader.drain(upTo: .seconds(5))
        }
        server.change { ($0.failure, $0.items) = (nil, [.example("s-1", .other, version: 4)]) }
        #expect(try await repository.get(id, .refresh).value.version == 4)
    }

    @Test(arguments: [DomainError.unavailable("away"), .busy("timed out")])
    func `what was only listed is shown in an outage, marked as stale`(outage: DomainError) async throws {
        _ = try await repository.list(.cacheFirst)
        clock.advance(by: .seconds(301))
        server.change { $0.failure = outage }
        for policy in [ReadPolicy.cacheFirst, .refresh] {
            let item = try await repository.get(id, policy)
            #expect(item.value == .example("s-1") && item.origin.isStale)
        }
    }

    @Test func `after a conflict the entity is asked for again, and the list is still shown in an outage`() async throws
    {
        _ = try await repository.list(.cacheFirst)
        server.change { $0.items = [.example("s-1", .other, version: 4)] }
        await #expect(throws: DomainError.self) { try await repository.update(id, to: .least, basedOn: 3) }
        #expect(try await repository.get(id, .cacheFirst).value.version == 4)
        serverIsAway()
        for policy in [ReadPolicy.cacheFirst, .refresh, .cacheOnly] {
            let list = try await repository.list(policy)
            #expect(list.value.map(\.version) == [3] && list.origin.isStale)
        }
    }

    @Test func `a write of the path by other means invalidates what is stored`() async throws {
        for _ in 0..<2 {
            // The list would tell of the entity, too.
            _ = try await repository.get(id, .cacheFirst)
            _ = try await repository.list(.cacheFirst)
            await reader.invalidate(tag: Specimen.path)
        }
        #expect(calls == 4)
    }
}

extension SnapshotOrigin {
    fileprivate var isStale: Bool { if case .stale = self { true } else { false } }
}
