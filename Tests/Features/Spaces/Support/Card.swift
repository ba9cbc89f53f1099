import SpacesDomain
import StrataDomain
import StrataService

/// An entity of a space, with every kind of route that an entity has.
struct Card: Entity {
    static let noun = "card"
    static let collection = "cards"
    static let ownership = Ownership.space
    static let recordsChanges = true
    static let aggregates: [Aggregate<Card>] = [Aggregate("total"), Aggregate("by-text", by: ["text"])]
    static let fields: [EntityField<Card>] = [
        .init("space_id", \.spaceId).references(Space.self, onDelete: .cascade).named("space", option: "space"),
        .init("text", \.text, .line(1...200)).searchable.sortable,
        .init("code", \.code, .line(1...9)).unique,
    ]

    var spaceId: Space.ID
    var text: String
    var code: String?

    init(_ text: String, in space: Space.ID, code: String? = nil) {
        (spaceId, self.text, self.code) = (space, text, code)
    }
}

struct CardsService: FeatureService {
    let table = EntityTable<Card>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
