import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService

/// Named by each of the others.
struct Team: Entity {
    static let noun = "team"
    static let collection = "teams"
    static let acceptsIDs = true
    static let changesNeedVersion = false
    static let fields: [EntityField<Team>] = [.init("name", \.name, .line(1...40))]
    var name: String
}

/// A team stays while shifts name it.
struct Shift: Entity {
    static let noun = "shift"
    static let collection = "shifts"
    static let acceptsIDs = true
    static let changesNeedVersion = false
    static let fields: [EntityField<Shift>] = [
        .init("title", \.title, .line(1...40)).searchable.sortable, .init("team", \.team).references(Team.self),
    ]
    var title: String
    var team: Team.ID
}

/// A badge goes with its team.
struct Badge: Entity {
    static let noun = "badge"
    static let collection = "badges"
    static let acceptsIDs = true
    static let changesNeedVersion = false
    static let ownership = Ownership.readableByAll
    static let fields: [EntityField<Badge>] = [
        .init("code", \.code, .line(1...40)).unique,
        .init("team", \.team).references(Team.self, onDelete: .cascade),
    ]
    var code: String
    var team: Team.ID
}

/// A locker stays without its team.
struct Locker: Entity {
    static let noun = "locker"
    static let collection = "lockers"
    static let acceptsIDs = true
    static let changesNeedVersion = false
    static let ownership = Ownership.author
    static let fields: [EntityField<Locker>] = [
        .init("label", \.label, .line(1...40)),
        .init("team", \.team).references(Team.self, onDelete: .clear),
    ]
    var label: String
    var team: Team.ID?
}

/// It names a row that only its author sees.
struct Lock: Entity {
    static let noun = "lock"
    static let collection = "locks"
    static let fields: [EntityField<Lock>] = [
        .init("code", \.code, .line(1...40)), .init("locker", \.locker).references(Locker.self),
        .init("team", \.team).references(Team.self, onDelete: .cascade),
    ]
    var code: String
    var locker: Locker.ID
    var team: Team.ID?
}

struct ReferenceService<Content: Entity>: FeatureService {
    let table = EntityTable<Content>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

extension ReferenceService {
    /// Those that refer to others stand first: the order of features is no order of tables.
    static var all: [any FeatureService] {
        [
            ReferenceService<Lock>(), ReferenceService<Badge>(), ReferenceService<Shift>(), ReferenceService<Locker>(),
            ReferenceService<Team>(),
        ]
    }
}

func withReferences<Value: Sendable>(
    _ body: @escaping @Sendable (InProcessBackend) async throws -> Value
) async throws -> Value {
    try await withBackend(ReferenceService<Team>.all, body)
}

extension HTTPAPIClient {
    /// The result of one mutation.
    func push<Content: Entity>(
        _ operation: Mutation.Operation, _ id: Identifier<Content>, base: Int? = nil,
        _ fields: [String: JSONValue] = [:]
    ) async throws -> MutationResult {
        let mutation = Mutation(
            id: UUID().uuidString, clientSeq: 1, collection: Content.collection, entityId: id.rawValue,
            operation: operation, baseVersion: base, fields: fields, at: Date(timeIntervalSince1970: 0))
        return try await send(PushMutations(batch: MutationBatch(clientId: "device", mutations: [mutation]))).results[0]
    }

    func team(_ name: String) async throws -> Stored<Team> { try await send(CreateEntity(Team(name: name))) }
}
