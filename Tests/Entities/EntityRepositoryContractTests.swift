import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// What every repository promises, the one in memory that other tests use included.
struct EntityRepositoryContractTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory, remote, cached, offline

        /// Whether a write that is based on an old version is refused. The offline store merges instead.
        var refusesOldVersions: Bool { self != .offline }
        /// Whether an own write is seen by `changes`.
        var observesWrites: Bool { self == .cached || self == .offline }
    }

    /// A repository without entities.
    private struct Subject: Sendable {
        let repository: any EntityRepository<Gauge>
        /// Lets the next entity be newer.
        var advance: @Sendable () -> Void = {}
        /// From now on the server cannot be reached.
        let disconnect: @Sendable () -> Void
    }

    /// Reaches the backend until it is cut.
    private struct Line: Transport {
        let base: any Transport
        let isCut: Shared

        final class Shared: Sendable {
            private let value = Mutex(false)
            var isSet: Bool { value.withLock { $0 } }
            func set() { value.withLock { $0 = true } }
        }

        func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
            if isCut.isSet { throw NetworkError(.offline("connection refused")) }
            try await base.send(request, receive: receive)
        }
    }

    private func with(_ kind: Kind, _ body: @escaping @Sendable (Subject) async throws -> Void) async throws {
        if kind == .memory {
            let memory = MemoryEntityRepository<Gauge>(command: "x gauges")
            return try await body(
                Subject(
                    repository: memory,
                    disconnect: { memory.change { $0.failure = .unavailable("connection refused") } }))
        }
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withBackend(GaugesService()) { backend in
            let isCut = Line.Shared()
            let client = try backend.client { Line(base: $0, isCut: isCut) }
            let repository = try await repository(kind, client, directory, backend.clock)
            try await body(
                Subject(
                    repository: repository, advance: { backend.clock.advance(by: .seconds(1)) },
                    disconnect: { isCut.set() }))
        }
    }

    private func repository(
        _ kind: Kind, _ client: HTTPAPIClient, _ directory: TemporaryDirectory, _ clock: ManualWallClock
    ) async throws -> any EntityRepository<Gauge> {
        let remote = RemoteEntityRepository<Gauge>(client: client, command: "x gauges")
        switch kind {
        case .memory, .remote: return remote
        case .cached:
            let reader = CachedReader(cache: TwoTierCache(directory: nil), logger: .silent)
            return CachedEntityRepository<Gauge>(remote: remote, reader: reader, principal: "ada")
        case .offline:
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Gauge>.collection], log: .silent
            )
            let engine = SyncEngine(database: database, client: client, log: .silent)
            let sync: @Sendable () async throws(DomainError) -> Void = { () throws(DomainError) in
                _ = try await engine.sync()
            }
            return OfflineEntityRepository<Gauge>(
                OfflineStore(database: database), command: "x gauges", sync: sync, settle: { try? await sync() },
                clock: clock)
        }
    }

    private static let one = Gauge.examples[0]
    private static let two = Gauge.examples[1]

    /// The error of `work`; records an issue when there is none.
    private func failure<Value>(_ work: () async throws -> Value) async -> DomainError? {
        await #expect(throws: DomainError.self) { _ = try await work() }
    }

    // MARK: - Reads

    @Test(arguments: Kind.allCases)
    func `what is created is read by its id and in the list, newest first`(kind: Kind) async throws {
        try await with(kind) { subject in
            let repository = subject.repository
            #expect(try await repository.list(.mustAsk).value.isEmpty)
            let first = try await repository.create(Self.one)
            subject.advance()
            let second = try await repository.create(Self.two)
            #expect(first.id != second.id)
            #expect(first.content == Self.one && second.content == Self.two)
            for policy in [ReadPolicy.cacheFirst, .refresh, .mustAsk] {
                let list = try await repository.list(policy).value
                #expect(list.map(\.id) == [second.id, first.id], "\(policy)")
                #expect(list.map(\.content) == [Self.two, Self.one])
                #expect(try await repository.get(first.id, policy).value.content == Self.one)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a query has its filter, search, order and limit`(kind: Kind) async throws {
        try await with(kind) { subject in
            for example in Gauge.examples.prefix(6) {
                _ = try await subject.repository.create(example)
                subject.advance()
            }
            let all = try await subject.repository.list(.mustAsk).value
            #expect(all.count == 6)
            for query in [
                EntityQuery<Gauge>(filters: ["is_open": .bool(true)]), EntityQuery(search: "disk"),
                EntityQuery(sort: .init("-title")), EntityQuery(sort: .init("level"), limit: 2),
            ] {
                let found = try await subject.repository.list(query, .mustAsk).value
                #expect(found.map(\.id) == (try query.validated().entities(of: all).map(\.id)))
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a query that the list cannot use is refused by its field`(kind: Kind) async throws {
        try await with(kind) { subject in
            let error = await failure {
                try await subject.repository.list(EntityQuery(sort: .init("notes")), .mustAsk)
            }
            guard case .validation(_, let fields) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(fields.map(\.field) == ["sort"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `an unknown id is not found by any operation, with the command that lists those there are`(
        kind: Kind
    ) async throws {
        try await with(kind) { subject in
            let (repository, id) = (subject.repository, Gauge.ID("nowhere"))
            for error in [
                await failure { try await repository.get(id, .mustAsk) },
                await failure { try await repository.editBase(id) },
                await failure { try await repository.update(id, to: Self.one, basedOn: 1) },
                await failure { try await repository.delete(id, basedOn: 1) },
            ] {
                guard case .notFound(let text) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(text.contains("gauge 'nowhere'") && text.contains("'x gauges list"), "\(text)")
            }
        }
    }

    // MARK: - Writes

    @Test(arguments: Kind.allCases)
    func `an update and a removal are based on the version that was shown`(kind: Kind) async throws {
        try await with(kind) { subject in
            let repository = subject.repository
            let id = try await repository.create(Self.one).id
            let base = try await repository.editBase(id)
            #expect(base.content == Self.one)
            let updated = try await repository.update(id, to: Self.two, basedOn: base.version)
            #expect(updated.id == id && updated.content == Self.two)
            #expect(updated.version > base.version)
            for policy in [ReadPolicy.cacheFirst, .mustAsk] {
                #expect(try await repository.get(id, policy).value.content == Self.two)
                #expect(try await repository.list(policy).value.map(\.content) == [Self.two])
            }
            try await repository.delete(id, basedOn: repository.editBase(id).version)
            for policy in [ReadPolicy.cacheFirst, .mustAsk] {
                #expect(try await repository.list(policy).value.isEmpty)
                guard case .notFound? = await failure({ try await repository.get(id, policy) }) else {
                    Issue.record("the removed entity is there")
                    continue
                }
            }
        }
    }

    @Test(arguments: Kind.allCases.filter(\.refusesOldVersions))
    func `a write that is based on an old version is a conflict, and changes nothing`(kind: Kind) async throws {
        try await with(kind) { subject in
            let repository = subject.repository
            let first = try await repository.create(Self.one)
            _ = try await repository.update(first.id, to: Self.two, basedOn: first.version)
            for error in [
                await failure { try await repository.update(first.id, to: Self.one, basedOn: first.version) },
                await failure { try await repository.delete(first.id, basedOn: first.version) },
            ] {
                guard case .conflict(let text) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(text.contains("gauge '\(first.id)'") && text.contains("'x gauges show \(first.id) --refresh'"))
            }
            #expect(try await repository.get(first.id, .mustAsk).value.content == Self.two)
        }
    }

    // MARK: - Without the server

    @Test(arguments: Kind.allCases)
    func `without the server a read that must ask is unavailable`(kind: Kind) async throws {
        try await with(kind) { subject in
            let repository = subject.repository
            let id = try await repository.create(Self.one).id
            _ = try await repository.list(.mustAsk)
            subject.disconnect()
            for error in [
                await failure { try await repository.list(.mustAsk) },
                await failure { try await repository.get(id, .mustAsk) },
            ] {
                guard case .unavailable = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `without the server a write is unavailable, or stored here`(kind: Kind) async throws {
        try await with(kind) { subject in
            let repository = subject.repository
            let first = try await repository.create(Self.one)
            subject.disconnect()
            guard kind != .offline else {
                #expect(try await repository.create(Self.two).syncState == .queued)
                #expect(try await repository.update(first.id, to: Self.two, basedOn: 1).syncState == .queued)
                return try await repository.delete(first.id, basedOn: 1)
            }
            for error in [
                await failure { try await repository.create(Self.two) },
                await failure { try await repository.update(first.id, to: Self.two, basedOn: first.version) },
                await failure { try await repository.delete(first.id, basedOn: first.version) },
            ] {
                guard case .unavailable = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }

    // MARK: - Changes

    @Test(.timeLimit(.minutes(1)), arguments: Kind.allCases)
    func `the changes of a list begin with an element at once, and have one after an own write`(
        kind: Kind
    ) async throws {
        try await with(kind) { subject in
            _ = try await subject.repository.list(.mustAsk)
            var changes = subject.repository.changes().makeAsyncIterator()
            #expect(await changes.next() != nil)
            _ = try await subject.repository.create(Self.one)
            if kind.observesWrites {
                #expect(await changes.next() != nil)
            } else {
                #expect(await changes.next() == nil, "changes at the server are not observed")
            }
        }
    }
}
