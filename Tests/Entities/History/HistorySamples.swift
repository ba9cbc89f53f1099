import FoundationEssentials
import StrataDomain
import StrataService

/// As the last release has it.
struct OldParcel: Entity {
    static let noun = "parcel"
    static let collection = "parcels"
    static let fields: [EntityField<OldParcel>] = [
        .init("title", \.title, .line(1...40)),
        .init("place", \.place, .line(1...40)).filterable.sortable,
        .init("rank", \.rank).filterable,
        .init("kind", \.kind, .line(1...40)),
        .init("count", \.count),
        .init("weight", \.weight),
        .init("level", \.level).filterable,
        .init("note", \.note, .line(1...40)),
    ]

    enum Rank: String, FieldChoice { case low, high, urgent }

    var title: String
    var place: String
    var rank = Rank.low
    var kind = "box"
    var count: Int?
    var weight = 2
    var level = 7
    var note: String?
}

/// The next release: `place` is called `location`, `urgent` is gone, `kind` is a choice, `count` must have a value, the whole `weight` became
/// `kilos`, `level` and `note` are removed.
struct Parcel: Entity {
    static let noun = "parcel"
    static let collection = "parcels"
    static let fields: [EntityField<Parcel>] = [
        .init("title", \.title, .line(1...40)),
        .init("location", \.location, .line(1...40)).filterable.sortable.renamed(from: "place"),
        .init("rank", \.rank).filterable.replacing("urgent", by: Rank.high),
        .init("kind", \.kind).narrowed(otherwise: Kind.other) { Kind(rawValue: $0.lowercased()) },
        .init("count", \.count).required(insteadOfNone: 1),
        .init("kilos", \.kilos).since(2).retyped(from: "weight", otherwise: 0.5) { (old: Int) in
            old < 0 ? nil : Double(old)
        } back: {
            Int($0.rounded())
        },
    ]
    static let removedFields: [EntityField<Parcel>] = [
        .init("weight", removed: 0), .init("level", removed: 0).filterable, .init("note", removed: String?.none),
    ]

    enum Rank: String, FieldChoice { case low, high }
    enum Kind: String, FieldChoice { case box, tube, other }

    var title: String
    var location: String
    var rank = Rank.low
    var kind = Kind.box
    var count = 1
    var kilos = 2.0
}

/// The release after that: former names are served no longer.
struct LaterParcel: Entity {
    static let noun = "parcel"
    static let collection = "parcels"
    static let fields: [EntityField<LaterParcel>] = [
        .init("title", \.title, .line(1...40)),
        .init("location", \.location, .line(1...40)).filterable.sortable.renamed(from: "place", isServed: false),
    ]
    static let removedFields: [EntityField<LaterParcel>] = [
        .init("rank", removed: "low", isServed: false).filterable, .init("kind", removed: "box", isServed: false),
        .init("count", removed: Int?.none), .init("weight", removed: 0, isServed: false),
        .init("level", removed: 0, isServed: false).filterable, .init("note", removed: String?.none),
        .init("kilos", removed: Double?.none).since(2),
    ]

    var title: String
    var location: String
}

struct ParcelsService<Content: Entity>: FeatureService {
    private let table = EntityTable<Content>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
