import FoundationEssentials
import StrataDomain
import StrataService

/// The rows that the samples of an entity refer to, in tables that every user sees.
struct ReferredEntities: Sendable {
    /// A table for each entity that `service` does not have itself.
    let services: [any FeatureService]
    private let seeds: [@Sendable (any StoreTransaction, Date) throws -> Void]

    init<Content: Entity>(of entity: Content.Type, besides service: any FeatureService) throws {
        var tables: [String: any FeatureService] = [:]
        var seeds: [@Sendable (any StoreTransaction, Date) throws -> Void] = []
        if Content.fields.contains(where: { $0.reference != nil }) {
            let own = Set(service.migrations.map(\.name))
            try Self.collect((1...9).map { try Content.sample($0) }, own, &tables, &seeds)
        }
        let spaces = Content.fields.first { $0.name == Ownership.spaceField }?.reference?.target
        let open = Content.ownership == .space ? spaces.map { [OpenSpaces(collection: $0.collection)] } : nil
        services = tables.sorted { $0.key < $1.key }.map(\.value) + (open ?? [])
        self.seeds = seeds
    }

    /// Stores the rows.
    func seed(_ store: any Store, at now: Date) async throws {
        guard !seeds.isEmpty else { return }
        try await store.write { [seeds] transaction in for seed in seeds { try seed(transaction, now) } }
    }

    private static func collect<Content: Entity>(
        _ contents: [Content], _ own: Set<String>, _ tables: inout [String: any FeatureService],
        _ seeds: inout [@Sendable (any StoreTransaction, Date) throws -> Void]
    ) throws {
        for field in Content.fields {
            guard let target = field.reference?.target else { continue }
            let ids = Set(contents.compactMap { field.value($0).string }).sorted()
            try collect(ids, of: target, own, &tables, &seeds)
        }
    }

    private static func collect<Target: Entity>(
        _ ids: [String], of target: Target.Type, _ own: Set<String>, _ tables: inout [String: any FeatureService],
        _ seeds: inout [@Sendable (any StoreTransaction, Date) throws -> Void]
    ) throws {
        let contents = try ids.indices.map { try Target.sample($0 + 1) }
        try collect(contents, own, &tables, &seeds)
        if !own.contains("\(Target.collection)-1") { tables[Target.collection] = ReferredTable<Target>() }
        seeds.append { store, now in
            let (table, owner) = (EntityTable<Target>().seenByAll, Principal.contract)
            for (id, content) in zip(ids, contents) {
                let id = Identifier<Target>(id)
                // Several fields may name one row.
                guard (try? table.entity(id, for: owner, in: store)) == nil else { continue }
                _ = try table.create(
                    EntityDraft(content.wireFields(), id: id), by: owner, at: now, in: store)
            }
        }
    }
}

/// The table of an entity that samples refer to.
private struct ReferredTable<Content: Entity>: FeatureService {
    private let table = EntityTable<Content>().seenByAll
    var migrations: [StoreMigration] { table.migrations }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

/// Every user may do everything in every space.
private struct OpenSpaces: FeatureService, SpaceDirectory {
    let collection: String
    var migrations: [StoreMigration] { [] }
    var spaces: (any SpaceDirectory)? { self }
    func mount(on routes: inout APIRoutes) {}
    func spaces(of caller: Principal, allowing action: RowAction, on collection: String) -> Statement {
        Statement(stringLiteral: "SELECT id FROM \(self.collection)")
    }
}

extension Principal {
    /// The author of rows that every check has.
    fileprivate static let contract = Principal.user(
        .init(id: "contract", username: "contract", isAdmin: true, sessionId: "s-contract"))
}
