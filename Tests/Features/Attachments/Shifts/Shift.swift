import StrataDomain
import StrataService

/// An entity of an owner's own, with files.
struct Shift: Entity {
    static let noun = "shift"
    static let collection = "shifts"
    static let ownership = Ownership.space
    static let fields: [EntityField<Shift>] = [
        .init("space_id", \.spaceId).references(Crew.self, onDelete: .cascade).named("space", option: "space"),
        .init("title", \.title, .line(1...80)),
    ]

    var spaceId: Crew.ID
    var title: String
}

struct ShiftsService: FeatureService {
    private let table = EntityTable<Shift>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

/// The space of shifts; its text says who is in it and who writes: `ada writes, bob reads`.
struct Crew: Entity {
    static let noun = "crew"
    static let collection = "crews"
    static let ownership = Ownership.space
    static let fields: [EntityField<Crew>] = [.init("people", \.people, .line(1...80))]

    var people: String
}

struct CrewsService: FeatureService {
    private let table = EntityTable<Crew>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    var spaces: (any SpaceDirectory)? { CrewMembers() }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

private struct CrewMembers: SpaceDirectory {
    let collection = Crew.collection

    func spaces(of caller: Principal, allowing action: RowAction, on collection: String) -> Statement {
        let part = action == .read ? "%\(caller.name)%" : "%\(caller.name) writes%"
        return "SELECT id FROM crews WHERE people LIKE \(part)"
    }
}
