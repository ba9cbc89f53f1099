import FoundationEssentials
import Logging
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

@testable import StrataHTTP
@testable import StrataService

struct EntityQueryTests {
    /// The rows of two users at the server, each with an offline store.
    private func withRows(
        _ body: @escaping @Sendable (InProcessBackend, _ ada: OfflineEntityRepository<Gauge>) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withBackend(GaugesService()) { backend in
            let (ada, bob) = (try backend.client(), try backend.client(as: "bob"))
            for example in Gauge.examples {
                _ = try await ada.send(CreateEntity(example))
                _ = try await bob.send(CreateEntity(example))
                backend.clock.advance(by: .milliseconds(1))
            }
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Gauge>.collection], log: .silent
            )
            let engine = SyncEngine(database: database, client: ada)
            let offline = OfflineEntityRepository<Gauge>(OfflineStore(database: database), command: "x gauges") {
                () throws(DomainError) in _ = try await engine.sync()
            }
            _ = try await offline.list(.refresh)
            try await body(backend, offline)
        }
    }

    @Test func `a query has the same list from the server, the cache, the offline store and in memory`() async throws {
        try await withRows { backend, offline in
            let remote = RemoteEntityRepository<Gauge>(client: try backend.client(), command: "x gauges")
            let reader = CachedReader(cache: TwoTierCache(directory: nil))
            let cached = CachedEntityRepository<Gauge>(remote: remote, reader: reader, principal: "ada")
            let all = try await remote.list(.mustAsk).value
            #expect(all.map(\.content) == Gauge.examples.reversed() && all.allSatisfy { $0.author == "ada" })
            for query in Gauge.queries.reversed() {
                let query = try query.validated()
                let expected = query.entities(of: all)
                let words = "\(query.items.encoded)"
                #expect(try await remote.list(query, .mustAsk).value == expected, "\(words)")
                #expect(try await offline.list(query, .cacheFirst).value == expected, "\(words)")
                #expect(try await cached.list(query, .cacheFirst).value == expected, "\(words)")
                #expect(try await cached.list(query, .cacheOnly).value == expected, "\(words)")
            }
        }
    }

    @Test func `pages of one row follow each other in each order, forwards and backwards`() async throws {
        try await withRows { backend, _ in
            let client = try backend.client()
            let all = try await client.send(ListEntities<Gauge>()).items
            for query in Gauge.queries where query.limit == nil {
                var page = try query.validated()
                page.limit = 1
                var (found, cursor): ([Stored<Gauge>], String?) = ([], nil)
                for _ in 0..<100 {
                    let next = try await client.send(ListEntities(page, cursor: cursor))
                    found += next.items
                    cursor = next.nextCursor
                    if cursor == nil { break }
                }
                #expect(cursor == nil)
                #expect(found == (try query.validated().entities(of: all)), "\(query.items.encoded)")
            }
        }
    }

    @Test func `a row that is deleted or inserted between two pages moves no other row`() async throws {
        try await withRows { backend, _ in
            let client = try backend.client()
            let query = EntityQuery<Gauge>(sort: .init("level"), limit: 5)
            let first = try await client.send(ListEntities(query))
            let rest = try await client.send(ListEntities(EntityQuery(sort: query.sort, limit: 200))).items.dropFirst(5)
            let last = try #require(first.items.last)
            _ = try await client.send(DeleteEntity<Gauge>(id: last.id, ifMatch: last.entityTag))
            _ = try await client.send(
                CreateEntity(Gauge(title: "before", level: -9, isOpen: true, kind: .air)))
            let second = try await client.send(
                ListEntities(EntityQuery(sort: query.sort, limit: 200), cursor: first.nextCursor))
            #expect(second.items == Array(rest))
        }
    }

    @Test func `a cursor belongs to its filters, search and order`() async throws {
        try await withRows { backend, _ in
            let client = try backend.client()
            let sorted = EntityQuery<Gauge>(filters: ["is_open": .bool(true)], sort: .init("level"), limit: 1)
            let cursor = try await client.send(ListEntities(sorted)).nextCursor
            #expect(cursor != nil)
            var others = [EntityQuery<Gauge>(limit: 1), sorted, sorted, sorted, sorted]
            others[1].sort = .init("-level")
            others[2].sort = .init("ratio")
            others[3].filters["is_open"] = .bool(false)
            others[4].search = "disk"
            for other in others {
                let refused = await problem { try await client.send(ListEntities(other, cursor: cursor)) }
                #expect(refused?.status == 400 && refused?.code == "invalid_cursor", "\(other.items.encoded)")
            }
            var longer = sorted
            longer.limit = 50
            #expect(try await !client.send(ListEntities(longer, cursor: cursor)).items.isEmpty)
            let bytes = try #require(Base64URL.decode(cursor ?? ""))
            let list = try #require(try WireJSON.decode([String].self, from: bytes).first)
            for forged in [["=no number", "x"], ["=1", "x\u{0}"], ["=1", "x", "y"], ["x"], []] {
                let text = Base64URL.encode(try WireJSON.encode([list] + forged))
                #expect(await problem { try await client.send(ListEntities(sorted, cursor: text)) }?.status == 400)
            }
        }
    }

    @Test(
        .enabled(if: StoreEngine.chosen.isSQLite, "reads the plans of SQLite"),
        arguments: [nil] + Gauge.fields.filter(\.isSortable).flatMap { [$0.name, "-\($0.name)"] })
    func `each order and each filter reads an index and sorts nothing`(sort: String?) async throws {
        try await withRows { backend, _ in
            let table = EntityTable<Gauge>()
            let store: any Store = backend.store
            for caller in ["ada", "admin"] {
                let principal = Principal.user(
                    .init(id: caller, username: caller, isAdmin: caller == "admin", sessionId: "s"))
                let query = EntityQuery<Gauge>(sort: sort.map { .init($0) }, limit: 3)
                let page = try await store.read { try table.page(query, after: nil, for: principal, in: $0) }
                for cursor in [nil, page.nextCursor] {
                    let plans = try await store.read { reader in
                        try table.statements(query, after: cursor, for: principal).flatMap {
                            try reader.rows("EXPLAIN QUERY PLAN \($0)").map { try $0.text("detail") }
                        }
                    }
                    #expect(plans.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(caller): \(plans)")
                    #expect(plans.allSatisfy { $0.contains("USING") && $0.contains("INDEX") }, "\(caller): \(plans)")
                }
            }
        }
    }

    @Test(arguments: [
        (EntityQuery<Gauge>(filters: ["notes": .string("x")]), "notes"),
        (EntityQuery(filters: ["level": .string("high")]), "level"),
        (EntityQuery(filters: ["kind": .string("fire")]), "kind"), (EntityQuery(sort: .init("notes")), "sort"),
        (EntityQuery(search: ""), "q"), (EntityQuery(search: String(repeating: "x", count: 201)), "q"),
        (EntityQuery(limit: 0), "limit"), (EntityQuery(filters: ["title": .string("a\u{0}")]), "title"),
    ])
    func `what a list cannot use is refused before anything is read, by its name`(
        query: EntityQuery<Gauge>, field: String
    ) async throws {
        let error = #expect(throws: DomainError.self) { try query.validated() }
        guard case .validation(_, let fields) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fields.map(\.field) == [field])
    }

    @Test func `a limit over a page asks for no page more than it needs`() async throws {
        let client = MockAPIClient()
        client.on(ListEntities<Gauge>.self) { call, _ in
            let first = (call.cursor.flatMap { Int($0) } ?? 0)
            let items = (first..<first + (call.query.limit ?? 0)).map {
                Stored(id: Gauge.ID("g-\($0)"), Gauge.examples[0], version: 1, updatedAt: .noon)
            }
            return CursorPage(items: items, nextCursor: "\(first + items.count)")
        }
        let remote = RemoteEntityRepository<Gauge>(client: client, command: "x gauges")
        #expect(try await remote.list(EntityQuery(limit: 5), .mustAsk).value.count == 5)
        #expect(try await remote.list(EntityQuery(limit: 130), .mustAsk).value.count == 130)
        #expect(client.calls(to: ListEntities<Gauge>.self).map(\.query.limit) == [5, 100, 100])
    }
}
