import FoundationEssentials
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataService
import StrataTesting
import Testing

struct AggregateTests {
    /// Rows of two users, written in one transaction.
    private func withWatches(
        _ watches: [Watch], _ body: @escaping @Sendable (InProcessBackend) async throws -> Void
    ) async throws {
        let service = WatchesService()
        try await withBackend(service) { backend in
            let now = backend.clock.now
            for user in ["ada", "bob"] {
                let author = Principal.user(.init(id: user, username: user, isAdmin: false, sessionId: "s"))
                try await backend.store.write { transaction in
                    for watch in watches {
                        _ = try service.table.create(
                            EntityDraft(try watch.wireFields()), by: author, at: now, in: transaction)
                    }
                }
            }
            try await body(backend)
        }
    }

    private func server(_ backend: InProcessBackend, as user: String = "ada") throws -> RemoteEntityRepository<Watch> {
        RemoteEntityRepository(client: try backend.client(as: user), command: "x watches")
    }

    @Test func `an entity with aggregates keeps the contract`() async throws {
        #expect(try await EntityContract<Watch>(WatchesService()).failures() == [])
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `the server, the cache, the offline store and memory count the same`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let watches = (0..<200).map { _ in Watch.random(&random) }
        try await withWatches(watches) { backend in
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let remote = try server(backend)
            let all = try await remote.list(.mustAsk).value
            #expect(all.count == watches.count)
            let memory = MemoryEntityRepository<Watch>(all)
            let cached = CachedEntityRepository<Watch>(
                remote: remote, reader: CachedReader(cache: TwoTierCache(directory: nil)), principal: "ada")
            _ = try await cached.list(.mustAsk)
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Watch>.collection], log: .silent
            )
            let engine = SyncEngine(database: database, client: try backend.client())
            let offline = OfflineEntityRepository<Watch>(OfflineStore(database: database), command: "x watches") {
                () throws(DomainError) in _ = try await engine.sync()
            }
            _ = try await offline.list(.refresh)
            let selections: [EntityQuery<Watch>] = [
                EntityQuery(), EntityQuery(filters: ["team": .string("day")]), EntityQuery(search: "RO"),
                EntityQuery(lowerBounds: ["visits": .integer(1)]), EntityQuery(filters: ["place": .string("nothing")]),
            ]
            let since = try #require(RFC3339.date(from: "1900-03-01T00:00:00Z"))
            let until = try #require(RFC3339.date(from: "2024-02-29T23:59:59.999Z"))
            for aggregate in Watch.aggregates {
                for (number, selection) in selections.enumerated() {
                    var query = AggregateQuery(aggregate.name, selection: selection)
                    if number.isMultiple(of: 2), aggregate.time != nil { (query.since, query.until) = (since, until) }
                    let expected = try await memory.aggregate(query, .mustAsk).value
                    #expect(expected.isEmpty == (number == 4), "\(query)")
                    #expect(try await remote.aggregate(query, .mustAsk).value == expected, "\(query)")
                    #expect(try await offline.aggregate(query, .cacheFirst).value == expected, "\(query)")
                    #expect(try await cached.aggregate(query, .cacheFirst).value == expected, "\(query)")
                    #expect(try await cached.aggregate(query, .cacheOnly).value == expected, "\(query)")
                }
            }
        }
    }

    @Test func `a span begins at the hour, the day or the month in UTC`() throws {
        let cases: [(String, AggregateStep, String)] = [
            ("2024-02-29T23:59:59.999Z", .hour, "2024-02-29T23"), ("1969-12-31T23:59:59.999Z", .hour, "1969-12-31T23"),
            ("1969-12-31T23:59:59.999Z", .day, "1969-12-31T00"), ("2024-02-29T00:00:00Z", .month, "2024-02-01T00"),
            ("2023-03-01T00:00:00Z", .month, "2023-03-01T00"), ("1900-02-28T23:59:59Z", .month, "1900-02-01T00"),
            ("0000-01-01T00:00:00Z", .month, "0000-01-01T00"), ("9999-12-31T23:59:59Z", .month, "9999-12-01T00"),
            ("2026-11-21T23:30:00-01:00", .day, "2026-11-22T00"),
        ]
        for (text, step, start) in cases {
            let time = try #require(RFC3339.date(from: text))
            let begin = step.start(of: Int((time.timeIntervalSince1970 * 1000).rounded()))
            #expect(
                RFC3339.string(from: Date(timeIntervalSince1970: Double(begin) / 1000)) == "\(start):00:00.000Z",
                "\(text)")
        }
    }

    @Test func `only rows that the caller sees are counted`() async throws {
        try await withWatches([Watch(place: "Roof", isLate: true, visits: 2)]) { backend in
            let query = AggregateQuery<Watch>("by-place")
            func rows(_ user: String) async throws -> [AggregateRow] {
                try await server(backend, as: user).aggregate(query, .mustAsk).value
            }
            let own = AggregateRow(group: ["place": .string("Roof")], count: 1, sums: ["visits": .integer(2)])
            let (ada, bob, eve) = try await (rows("ada"), rows("bob"), rows("eve"))
            #expect(ada == [own] && bob == [own] && eve == [])
            let all = try await rows("admin").map(\.count)
            #expect(all == [2])
        }
    }

    @Test func `a sum is exact, and no number is too large for it`() async throws {
        let watches = [
            Watch(isLate: false, hours: 0.1, visits: .max), Watch(isLate: false, hours: 1e300, visits: .max),
            Watch(isLate: false, hours: -1e300, visits: nil), Watch(isLate: false, hours: 1e290),
        ]
        try await withWatches(watches) { backend in
            let query = AggregateQuery<Watch>("total")
            let total = try #require(try await server(backend).aggregate(query, .mustAsk).value.first)
            #expect(total.count == 4 && total.time == nil && total.group.isEmpty)
            #expect(total.sums == ["hours": .number(1e290), "visits": .number(Double(Int.max) * 2)])
        }
        try await withWatches([Watch(isLate: false, visits: 7), Watch(isLate: true, visits: -2)]) { backend in
            let query = AggregateQuery<Watch>("total")
            let rows = try await server(backend).aggregate(query, .mustAsk).value
            #expect(rows == [AggregateRow(count: 2, sums: ["hours": .number(0), "visits": .integer(5)])])
        }
    }

    @Test func `a result with too many rows is refused with the next step`() async throws {
        let hours = (0...AggregateRow.limit).map { number in
            Watch(isLate: false, startsAt: Date.noon.addingTimeInterval(3600 * Double(number)))
        }
        try await withWatches(hours) { backend in
            let remote = try server(backend)
            let query = AggregateQuery<Watch>("per-hour")
            for repository in [
                remote as any EntityRepository<Watch>, MemoryEntityRepository(try await remote.list(.mustAsk).value),
            ] {
                let error = await #expect(throws: DomainError.self) { try await repository.aggregate(query, .mustAsk) }
                guard case .validation(_, let fields) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(
                    fields.map(\.field) == ["aggregate"] && fields.first?.message.contains("since and until") == true)
            }
            let later = AggregateQuery<Watch>("per-hour", since: Date.noon.addingTimeInterval(3600))
            #expect(try await remote.aggregate(later, .mustAsk).value.count == AggregateRow.limit)
        }
    }

    @Test(arguments: [
        ("per-year", "", 400, "aggregate"), ("per-day", "since=yesterday", 400, "since"),
        ("total", "until=2026-01-01T00:00:00Z", 422, "until"),
        ("per-day", "limit=1", 400, "limit"), ("per-day", "sort=starts_at", 400, "sort"),
        ("per-day", "cursor=x", 400, "cursor"),
        ("per-day", "hours=1", 400, "hours"), ("per-day", "team=none", 400, "team"), ("per-day", "q=", 422, "q"),
        ("per-day", "since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z", 400, "since"),
    ])
    func `what an aggregate cannot use is refused by its name`(
        name: String, items: String, status: Int, field: String
    ) async throws {
        try await withWatches([]) { backend in
            var wire = backend.transcript()
            try await wire.send("GET", "/v1/watches/aggregates/\(name)?\(items)", ["Authorization": "Bearer ada"])
            #expect(wire.text.contains("\n\(status)\n") && wire.text.contains(#""field":"\#(field)""#), "\(wire.text)")
        }
    }

    @Test func `the document has the names, the filters and no pages`() async throws {
        try await withWatches([]) { backend in
            let document = try await backend.anonymous().send(GetDocument())
            let paths = document.object?["paths"]?.object ?? [:]
            let operation = paths["/v1/watches/aggregates/{aggregate}"]?.object?["get"]?.object
            guard case .array(let parameters)? = operation?["parameters"] else {
                Issue.record("There is no such path, or it has no parameters.")
                return
            }
            let names = parameters.compactMap { $0.object?["name"]?.string }
            #expect(Set(names).count == names.count)
            #expect(Set(names).isSuperset(of: ["aggregate", "since", "until", "team", "at_least", "q"]))
            #expect(Set(names).isDisjoint(with: ["limit", "cursor", "sort"]))
            let choices = parameters.first { $0.object?["name"] == "aggregate" }?.object?["schema"]?.object?["enum"]
            #expect(choices == .array(Watch.aggregates.map { .string($0.name) }))
        }
    }

    private struct GetDocument: ManualEndpoint {
        typealias Response = JSONValue
        let method = HTTPMethod.get
        let path = "/openapi.json"
    }
}
