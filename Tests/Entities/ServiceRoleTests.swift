import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataService
import StrataTesting
import Testing

/// The roles of a whole service: each route × each role, for rows of everyone, of an author, and of an author and all readers.
struct ServiceRoleTests {
    enum StaffRole: String, ServiceRole {
        case viewer, planner, reporter, silent
        func may(_ action: RowAction, _ collection: String) -> Bool {
            switch (self, collection) {
            case (.planner, "teams"): action != .delete
            case (.reporter, _): action == .create
            case (.silent, _): false
            default: action == .read
            }
        }
    }

    /// A row whose writes are recorded, with a sum.
    struct Watchword: Entity {
        static let noun = "watchword"
        static let collection = "watchwords"
        static let recordsChanges = true
        static let fields: [EntityField<Watchword>] = [.init("text", \.text, .line(1...40)), .init("day", \.day)]
        static let aggregates: [Aggregate<Watchword>] = [Aggregate("total", sum: ["day"])]
        var text: String
        var day: Int
    }

    /// What a user may do, as the table says.
    private static func may(_ role: String, _ action: RowAction, _ collection: String) -> Bool {
        ["member", "admin"].contains(role) || StaffRole(rawValue: role)?.may(action, collection) == true
    }

    private static let roles = UserRoles(StaffRole.self)

    /// A route of a feature without an entity.
    struct ReportsService: FeatureService {
        struct WriteReport: RoutedEndpoint {
            static let route = Route.post("/v1/reports")
            typealias Response = NoContent
        }
        let migrations: [StoreMigration] = []
        func mount(on routes: inout APIRoutes) {
            routes.write(WriteReport.self, for: .users) { _, scope, _ in
                try scope.caller().require(.create, "reports")
                return NoContent()
            }
        }
    }

    private static func withTable<Content: Entity>(
        _ type: Content.Type, _ body: @escaping @Sendable (InProcessBackend) async throws -> [String]
    ) async throws -> [String] {
        try await withBackend(EntityOwnershipTests.TableService<Content>(), roles: roles, body)
    }

    // MARK: The matrix

    private struct Scene<Content: Entity>: Sendable {
        let number: Int
        let row: Stored<Content>
        let other: Content
    }

    private struct Refused: Error { let status: Int }

    private struct Row<Content: Entity>: Sendable {
        let route: Route
        let action: RowAction
        /// Whether a role that may not is told by 403, or sees no row: 404 for one, none in a list.
        let isList: Bool
        /// Whether the row was shown, or changed.
        let send: @Sendable (HTTPAPIClient, Scene<Content>) async throws -> Bool

        init(
            _ route: Route, _ action: RowAction, isList: Bool = false,
            _ send: @escaping @Sendable (HTTPAPIClient, Scene<Content>) async throws -> Bool
        ) {
            (self.route, self.action, self.isList, self.send) = (route, action, isList, send)
        }
    }

    private static func rows<Content: Entity>(_ type: Content.Type) -> [Row<Content>] {
        [
            Row(ListEntities<Content>.route, .read, isList: true) { client, _ in
                try await client.send(ListEntities<Content>()).items.isEmpty == false
            },
            Row(GetEntity<Content>.route, .read) { try await $0.send(GetEntity<Content>(id: $1.row.id)) == $1.row },
            Row(CreateEntity<Content>.route, .create) { try await $0.send(CreateEntity($1.other)).version > 0 },
            Row(UpdateEntity<Content>.route, .update) { client, scene in
                try await client.send(
                    UpdateEntity(id: scene.row.id, ifMatch: scene.row.entityTag, to: scene.other)
                ).content == scene.other
            },
            Row(PatchEntity<Content>.route, .update) { client, scene in
                try await client.send(
                    PatchEntity<Content>(id: scene.row.id, ifMatch: scene.row.entityTag, members(scene.other))
                ).content == scene.other
            },
            Row(DeleteEntity<Content>.route, .delete) { client, scene in
                _ = try await client.send(DeleteEntity<Content>(id: scene.row.id, ifMatch: scene.row.entityTag))
                return true
            },
            Row(PullChanges.route, .read, isList: true) { client, _ in
                try await client.send(PullChanges(collections: Content.collection)).changes.isEmpty == false
            },
            Row(FetchSnapshot.route, .read, isList: true) { client, scene in
                let response = try await client.collect(
                    RawRequest(.get, FetchSnapshot(collections: Content.collection).request().target), upTo: 1 << 20,
                    options: CallOptions()
                ) { _ in }
                return String(decoding: response.bytes, as: UTF8.self).contains(scene.row.id.rawValue)
            },
            Row(FetchDigest.route, .read, isList: true) { client, _ in
                try await client.send(FetchDigest(collections: Content.collection)).collections.map(\.count) != [0]
            },
            push(.create, .create), push(.patch, .update), push(.delete, .delete),
        ] + (Content.recordsChanges ? [changes()] : []) + Content.aggregates.map { sum($0.name) }
    }

    private static func changes<Content: Entity>() -> Row<Content> {
        Row(ListChanges<Content>.route, .read) { client, scene in
            try await client.send(ListChanges<Content>(id: scene.row.id)).items.isEmpty == false
        }
    }

    private static func sum<Content: Entity>(_ name: String) -> Row<Content> {
        Row(AggregateEntities<Content>.route, .read, isList: true) { client, _ in
            let rows = try await client.send(AggregateEntities(AggregateQuery<Content>(name))).items
            return rows.contains { $0.count > 0 }
        }
    }

    private static func members<Content: Entity>(_ content: Content) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: Content.fields.map { ($0.name, $0.value(content)) })
    }

    private static func fields<Content: Entity>(_ content: Content) -> [String: JSONValue] {
        members(content).filter { $1 != .null }
    }

    private static func push<Content: Entity>(_ operation: Mutation.Operation, _ action: RowAction) -> Row<Content> {
        Row(PushMutations.route, action) { client, scene in
            let isNew = operation == .create
            let result = try await client.push(
                operation, isNew ? Identifier<Content>("new-\(scene.number)") : scene.row.id,
                base: isNew ? nil : scene.row.version, operation == .delete ? [:] : fields(scene.other))
            guard result.status == .applied else { throw Refused(status: result.error?.status ?? 409) }
            return true
        }
    }

    /// One sentence for each cell that is answered otherwise, and for each route without a row.
    private static func failures<Content: Entity>(of example: Content, _ other: Content) async throws -> [String] {
        try await withTable(Content.self) { backend in
            let rows = rows(Content.self)
            let mounted = Set(backend.routes.filter { $0.access != .anyone }.map(\.route))
            var failures = mounted.subtracting(rows.map(\.route)).map { "'\($0)' has no row in the matrix." }
            var number = 0
            for row in rows {
                for role in roles.names {
                    number += 1
                    // The row is the user's own, so that only the role can forbid something.
                    let author = try backend.client(as: "user\(number)")
                    let scene = Scene(number: number, row: try await author.send(CreateEntity(example)), other: other)
                    let outcome = await outcome(of: row, as: try backend.client(as: "\(role)-user\(number)"), scene)
                    let expected = expected(row, role)
                    if outcome != expected { failures.append("\(row.route) as \(role): \(outcome), not \(expected).") }
                    let admin = try backend.client(as: "admin")
                    let after = try? await admin.send(GetEntity<Content>(id: scene.row.id))
                    if expected == .refused(403) || expected == .refused(404), after != scene.row {
                        failures.append("\(row.route) as \(role): the refused request changed the row.")
                    }
                    for item in try await admin.send(ListEntities<Content>()).items {
                        _ = try await admin.send(DeleteEntity<Content>(id: item.id, ifMatch: item.entityTag))
                    }
                }
            }
            return failures
        }
    }

    private enum Outcome: Equatable {
        case done, nothing
        case refused(Int)
    }

    private static func outcome<Content: Entity>(
        of row: Row<Content>, as client: HTTPAPIClient, _ scene: Scene<Content>
    ) async -> Outcome {
        do { return try await row.send(client, scene) ? .done : .nothing } catch let refused as Refused {
            return .refused(refused.status)
        } catch { return .refused((error as? NetworkError)?.problem?.status ?? 599) }
    }

    private static func expected<Content: Entity>(_ row: Row<Content>, _ role: String) -> Outcome {
        if may(role, row.action, Content.collection) {
            // Without the right to read, a request about one row finds none.
            let needsRow = row.route != PushMutations.route && (row.action == .update || row.action == .delete)
            return !needsRow || may(role, .read, Content.collection) ? .done : .refused(404)
        }
        if row.isList { return .nothing }
        if row.route == PushMutations.route || row.action == .create { return .refused(403) }
        return .refused(may(role, .read, Content.collection) ? 403 : 404)
    }

    @Test func `every route answers each role as the table says`() async throws {
        let teams = try await Self.failures(of: Team(name: "Night"), Team(name: "Day"))
        #expect(teams == [])
        let (first, second) = (Watchword(text: "a", day: 1), Watchword(text: "b", day: 2))
        let watchwords = try await Self.failures(of: first, second)
        #expect(watchwords == [])
        let notice = EntityOwnershipTests.Notice(text: "a", level: 1)
        let notices = try await Self.failures(of: notice, EntityOwnershipTests.Notice(text: "b", level: 2))
        #expect(notices == [])
        let gauges = try await Self.failures(of: Gauge.examples[0], Gauge.examples[1])
        #expect(gauges == [])
    }

    // MARK: What follows

    @Test func `the changes of a deleted row are for roles that read`() async throws {
        _ = try await Self.withTable(Watchword.self) { backend in
            let admin = try backend.client(as: "admin")
            let word = try await admin.send(CreateEntity(Watchword(text: "a", day: 1)))
            _ = try await admin.send(DeleteEntity<Watchword>(id: word.id, ifMatch: word.entityTag))
            for role in Self.roles.names {
                let client = try backend.client(as: "\(role)-ada")
                let items = try? await client.send(ListChanges<Watchword>(id: word.id)).items
                #expect((items?.isEmpty == false) == Self.may(role, .read, "watchwords"), "\(role)")
            }
            return []
        }
    }

    @Test func `a role shows no row that the owner hides`() async throws {
        let failures = try await Self.withTable(Gauge.self) { backend in
            let gauge = try await backend.client(as: "ada").send(CreateEntity(Gauge.examples[0]))
            let viewer = try backend.client(as: "viewer-bob")
            let hidden = await #expect(throws: NetworkError.self) {
                try await viewer.send(GetEntity<Gauge>(id: gauge.id))
            }
            #expect(hidden?.problem?.status == 404)
            #expect(try await viewer.send(ListEntities<Gauge>()).items.isEmpty)
            return []
        }
        #expect(failures == [])
    }

    @Test func `the refusal names the role, what it does not allow, and who helps`() async throws {
        _ = try await Self.withTable(Team.self) { backend in
            let refusal = await #expect(throws: NetworkError.self) {
                try await backend.client(as: "viewer-ada").send(CreateEntity(Team(name: "Night")))
            }
            #expect(
                refusal?.problem?.detail
                    == "Your role 'viewer' does not let you create teams; ask an administrator for another role.")
            return []
        }
    }

    @Test func `a user whose role no longer reads loses the rows at the next synchronisation, and gets them back`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        _ = try await Self.withTable(Team.self) { backend in
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Team>.collection], log: .silent)
            let teams = OfflineEntityRepository<Team>(OfflineStore(database: database), command: "x teams") {
                () throws(DomainError) in
            }
            func synchronise(as role: String) async throws -> [String] {
                _ = try await SyncEngine(database: database, client: try backend.client(as: "\(role)ada")).sync()
                return try await teams.list(.cacheFirst).value.map(\.content.name)
            }
            _ = try await backend.client(as: "bob").send(CreateEntity(Team(name: "Night")))
            #expect(try await synchronise(as: "viewer-") == ["Night"])
            #expect(try await synchronise(as: "silent-") == [])
            #expect(try await synchronise(as: "") == ["Night"])
            return []
        }
    }

    @Test func `an offline write that the role forbids is refused with the sentence, and kept`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        _ = try await Self.withTable(Team.self) { backend in
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Team>.collection], log: .silent)
            let engine = SyncEngine(database: database, client: try backend.client(as: "viewer-ada"))
            let store = OfflineStore(database: database)
            let teams = OfflineEntityRepository<Team>(store, command: "x teams") { () throws(DomainError) in }
            _ = try await teams.create(Team(name: "Night"))
            _ = try await engine.sync()
            let entries = try await store.entries()
            #expect(entries.map(\.state) == [.rejected])
            #expect(entries.first?.error?.contains("Your role 'viewer'") == true)
            #expect(try await backend.client(as: "admin").send(ListEntities<Team>()).items.isEmpty)
            return []
        }
    }

    /// Rows without an entity.
    private struct LogsService: FeatureService {
        struct Logs: SyncedCollection {
            var name: String { "logs" }
            func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]] {
                Dictionary(uniqueKeysWithValues: ids.map { ($0, ["id": .string($0)]) })
            }
            func apply(
                _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
            ) throws -> Int {
                try ChangeLog.stamp(.put, collection: name, id: mutation.entityId, at: now, in: transaction).version
            }
        }
        let migrations: [StoreMigration] = []
        var syncedCollections: [any SyncedCollection] { [Logs()] }
        func mount(on routes: inout APIRoutes) {}
    }

    @Test func `a collection without an entity has the roles, too`() async throws {
        try await withBackend(LogsService(), roles: Self.roles) { backend in
            for role in Self.roles.names {
                let client = try backend.client(as: "\(role)-ada")
                let mutation = Mutation(
                    id: "m-\(role)", clientSeq: 1, collection: "logs", entityId: role, operation: .create,
                    baseVersion: nil, fields: [:], at: backend.clock.now)
                let batch = MutationBatch(clientId: role, mutations: [mutation])
                let result = try await client.send(PushMutations(batch: batch)).results[0]
                #expect((result.status == .applied) == Self.may(role, .create, "logs"), "\(role)")
                if result.status != .applied { #expect(result.error?.status == 403, "\(role)") }
                // Members wrote the first row.
                let changes = try await client.send(PullChanges(collections: "logs")).changes
                #expect(changes.isEmpty == !Self.may(role, .read, "logs"), "\(role)")
            }
        }
    }

    @Test func `a deletion that takes rows along needs the right to delete those`() async throws {
        enum Desk: String, ServiceRole {
            case desk
            func may(_ action: RowAction, _ collection: String) -> Bool { collection == "teams" || action != .delete }
        }
        try await withBackend(ReferenceService<Team>.all, roles: UserRoles(Desk.self)) { backend in
            let desk = try backend.client(as: "desk-ada")
            let team = try await desk.team("Night")
            let badge = try await desk.send(CreateEntity(Badge(code: "b", team: team.id)))
            let refusal = await #expect(throws: NetworkError.self) {
                try await desk.send(DeleteEntity<Team>(id: team.id, ifMatch: team.entityTag))
            }
            #expect(refusal?.problem?.status == 403)
            #expect(refusal?.problem?.detail?.contains("delete badges") == true)
            #expect(try await desk.send(GetEntity<Badge>(id: badge.id)) == badge)
        }
    }

    @Test func `a route without an entity asks for a word of its own`() async throws {
        try await withBackend(ReportsService(), roles: Self.roles) { backend in
            for role in Self.roles.names {
                let client = try backend.client(as: "\(role)-ada")
                var status: Int?
                do throws(NetworkError) { _ = try await client.send(ReportsService.WriteReport()) } catch {
                    status = error.problem?.status
                }
                #expect(status == (Self.may(role, .create, "reports") ? nil : 403), "\(role)")
            }
        }
    }

    @Test func `a case member gives the members a table, and a case admin takes nothing from administrators`() {
        enum Narrow: String, ServiceRole {
            case member, admin
            func may(_ action: RowAction, _ collection: String) -> Bool { false }
        }
        let roles = UserRoles(Narrow.self)
        #expect(roles.names == ["member", "admin"])
        #expect(!roles["member"].may(.read, "teams"))
        #expect(roles["admin"].may(.delete, "teams"))
        #expect(!UserRoles()["viewer"].may(.read, "teams"))
    }
}
