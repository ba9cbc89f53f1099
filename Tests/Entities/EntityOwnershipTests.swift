import FoundationEssentials
import Logging
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataService
import StrataTesting
import Testing

struct EntityOwnershipTests {
    struct Notice: Entity {
        static let noun = "notice"
        static let collection = "notices"
        static let ownership = Ownership.readableByAll
        static let fields: [EntityField<Notice>] = [
            .init("text", \.text, .line(1...40)).unique.searchable.sortable, .init("level", \.level).filterable,
        ]
        var text: String
        var level: Int?
    }

    /// Everyone's, with the name of its author.
    struct Remark: Entity {
        static let noun = "remark"
        static let collection = "remarks"
        static let recordsAuthor = true
        static let fields: [EntityField<Remark>] = [.init("text", \.text, .line(1...40)).filterable]
        var text: String
    }

    struct TableService<Content: Entity>: FeatureService {
        let table = EntityTable<Content>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    @Test func `rows of their author keep the contract`() async throws {
        let failures = try await EntityContract<Gauge>(GaugesService()).failures()
        #expect(failures == [])
    }

    @Test func `rows that all read keep the contract`() async throws {
        let failures = try await EntityContract<Notice>(TableService<Notice>()).failures()
        #expect(failures == [])
    }

    @Test func `everyone's rows with an author keep the contract`() async throws {
        let failures = try await EntityContract<Remark>(TableService<Remark>()).failures()
        #expect(failures == [])
    }

    @Test func `the offline store of a user has the user's rows, and their author`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withBackend(GaugesService()) { backend in
            func store(_ user: String) async throws -> (OfflineEntityRepository<Gauge>, SyncEngine) {
                let database = try await OfflineDatabase.open(
                    at: directory.file("\(user).sqlite"), collections: [OfflineEntityRepository<Gauge>.collection],
                    log: .silent)
                let engine = SyncEngine(database: database, client: try backend.client(as: user))
                let repository = OfflineEntityRepository<Gauge>(OfflineStore(database: database), command: "x gauges") {
                    () throws(DomainError) in _ = try await engine.sync()
                }
                return (repository, engine)
            }
            let (ada, _) = try await store("ada")
            let (bob, _) = try await store("bob")
            let (admin, _) = try await store("admin")
            let adas = try await ada.create(Gauge.examples[0]).id
            let bobs = try await bob.create(Gauge.examples[1]).id
            for _ in 0..<2 { for user in [ada, bob, admin] { _ = try await user.list(.refresh) } }
            #expect(try await ada.list(.cacheFirst).value.map(\.id) == [adas])
            #expect(try await bob.list(.cacheFirst).value.map(\.id) == [bobs])
            #expect(Set(try await admin.list(.cacheFirst).value.map(\.id)) == [adas, bobs])
            #expect(try await ada.get(adas, .cacheFirst).value.author == "ada")
            _ = try await admin.update(adas, to: Gauge.examples[2], basedOn: 0)
            _ = try await admin.list(.refresh)
            let edited = try await ada.get(adas, .refresh).value
            #expect(edited.content == Gauge.examples[2] && edited.author == "ada" && edited.syncState == .synced)
        }
    }

    /// A route with a statement of its own, as in the guide to the first feature.
    private struct CountedGauges: FeatureService {
        struct CountGauges: RoutedEndpoint {
            static let route = Route.get("/v1/gauge-counts")
            struct Response: Codable, Sendable, Equatable { var open: Int }

            static func response(from store: any StoreReader, where visible: Statement) throws -> Response {
                let row = try store.row("SELECT COUNT(*) AS total FROM gauges WHERE is_open = \(true) AND \(visible)")
                return Response(open: try row?.int("total") ?? 0)
            }
        }

        let table = EntityTable<Gauge>()
        var migrations: [StoreMigration] { table.migrations }
        func mount(on routes: inout APIRoutes) {
            table.mount(on: &routes)
            routes.read(CountGauges.self, for: .users) { _, scope, store in
                let caller = try scope.caller()
                try caller.require(.read, Gauge.collection)
                return try CountGauges.response(from: store, where: table.visibility.condition(.read, for: caller))
            }
        }
    }

    @Test func `a route of its own that asks the rule of the table counts what its caller sees`() async throws {
        try await withBackend(CountedGauges()) { backend in
            for (user, count) in [("ada", 2), ("bob", 1)] {
                for gauge in Gauge.examples.filter(\.isOpen).prefix(count) {
                    _ = try await backend.client(as: user).send(CreateEntity(gauge))
                }
            }
            for (user, count) in [("ada", 2), ("bob", 1), ("eve", 0), ("admin", 3)] {
                #expect(try await backend.client(as: user).send(CountedGauges.CountGauges()).open == count, "\(user)")
            }
        }
    }

    /// The same table before and after it became private.
    struct OpenGauge: Entity {
        static let noun = "gauge"
        static let collection = "gauges"
        static let fields: [EntityField<OpenGauge>] = [.init("title", \.title, .line(1...40))]
        var title: String
    }
    struct OwnGauge: Entity {
        static let noun = "gauge"
        static let collection = "gauges"
        static let ownership = Ownership.author
        static let fields: [EntityField<OwnGauge>] = [.init("title", \.title, .line(1...40)).filterable.sortable]
        var title: String
    }

    @Test func `a row from before authors were recorded belongs to administrators`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.file("data.db")
        let old = try await withBackend(TableService<OpenGauge>(), at: path) { backend in
            try await backend.client().send(CreateEntity(OpenGauge(title: "old")))
        }
        try await withBackend(TableService<OwnGauge>(), at: path) { backend in
            let (ada, admin) = (try backend.client(), try backend.client(as: "admin"))
            let id = OwnGauge.ID(old.id.rawValue)
            let new = try await ada.send(CreateEntity(OwnGauge(title: "new")))
            #expect(await problem { try await ada.send(GetEntity(id: id)) }?.status == 404)
            #expect(try await ada.send(ListEntities<OwnGauge>()).items == [new])
            #expect(try await ada.send(PullChanges()).changes.map(\.id) == [new.id.rawValue])
            #expect(try await ada.send(FetchDigest()).collections.map(\.count) == [1])
            let kept = try await admin.send(GetEntity(id: id))
            #expect(kept.title == "old" && kept.author == nil)
            #expect(try await admin.send(ListEntities<OwnGauge>()).items.count == 2)
            #expect(try await admin.send(PullChanges()).changes.count == 2)
            #expect(try await admin.send(FetchDigest()).collections.map(\.count) == [2])
            let edited = try await admin.send(
                UpdateEntity(id: id, ifMatch: kept.entityTag, to: OwnGauge(title: "edited")))
            #expect(edited.author == nil)
            _ = try await admin.send(DeleteEntity<OwnGauge>(id: id, ifMatch: edited.entityTag))
            #expect(try await ada.send(PullChanges()).changes.map(\.id) == [new.id.rawValue])
        }
    }

    @Test func `a user who becomes an administrator starts again where rows are private`() async throws {
        try await withBackend(GaugesService()) { backend in
            let (user, promoted) = (try backend.client(as: "eve"), try backend.client(as: "admin-eve"))
            let cursor = try await user.send(PullChanges()).cursor
            let refused = await problem { try await promoted.send(PullChanges(cursor: cursor)) }
            #expect(refused?.status == 409 && refused?.code == SyncCode.scopeChanged)
        }
        try await withBackend(TableService<Remark>()) { backend in
            let (user, promoted) = (try backend.client(as: "eve"), try backend.client(as: "admin-eve"))
            let cursor = try await user.send(PullChanges()).cursor
            #expect(try await promoted.send(PullChanges(cursor: cursor)).changes.isEmpty)
        }
    }
}
