import StrataDomain

/// What crates refer to.
struct Depot: Entity {
    static let noun = "depot"
    static let collection = "depots"
    static let fields: [EntityField<Depot>] = [.init("name", \.name, .line(1...40))]
    var name: String
}

/// As the last release has it: a field for each change.
struct OldCrate: Entity {
    static let noun = "crate"
    static let collection = "crates"
    static let fields: [EntityField<OldCrate>] = [
        .init("title", \.title, .line(1...40)),
        .init("place", \.place, .line(1...40)).filterable.sortable,
        .init("label", \.label, .line(1...20)).unique,
        .init("rank", \.rank).filterable,
        .init("kind", \.kind, .line(1...40)),
        .init("count", \.count),
        .init("weight", \.weight),
        .init("level", \.level).filterable,
        .init("note", \.note, .line(1...40)),
        .init("code", \.code, .line(1...9)).unique,
        .init("depot_id", \.depotId).references(Depot.self, onDelete: .clear),
    ]

    enum Rank: String, FieldChoice { case low, high, urgent }

    var title: String
    var place: String
    var label: String?
    var rank = Rank.low
    var kind = "box"
    var count: Int?
    var weight = 2
    var level = 7
    var note: String?
    var code: String?
    var depotId: Depot.ID?
}

/// The next release: `place` and the unique `label` have new names, `urgent` is gone, `kind` is a choice, `count` must have a value, `weight` became
/// `kilos`; `level`, `note`, the unique `code` and the reference are removed.
struct Crate: Entity {
    static let noun = "crate"
    static let collection = "crates"
    static let fields: [EntityField<Crate>] = [
        .init("title", \.title, .line(1...40)),
        .init("location", \.location, .line(1...40)).filterable.sortable.renamed(from: "place"),
        .init("serial", \.serial, .line(1...20)).unique.renamed(from: "label"),
        .init("rank", \.rank).filterable.replacing("urgent", by: Rank.high),
        .init("kind", \.kind).narrowed(otherwise: Kind.other) { Kind(rawValue: $0.lowercased()) },
        .init("count", \.count).required(insteadOfNone: 1),
        .init("kilos", \.kilos).since(2).retyped(from: "weight", otherwise: 0.5) { (old: Int) in
            old < 0 ? nil : Double(old)
        } back: {
            Int($0.rounded())
        },
    ]
    static let removedFields: [EntityField<Crate>] = [
        .init("weight", removed: 0), .init("level", removed: 0).filterable, .init("note", removed: String?.none),
        .init("code", removed: String?.none).unique,
        .init("depot_id", removed: Depot.ID?.none).references(Depot.self, onDelete: .clear),
    ]

    enum Rank: String, FieldChoice { case low, high }
    enum Kind: String, FieldChoice { case box, tube, other }

    var title: String
    var location: String
    var serial: String?
    var rank = Rank.low
    var kind = Kind.box
    var count = 1
    var kilos = 2.0
}
