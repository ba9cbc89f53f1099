import FoundationEssentials
import StrataDomain
import StrataService

/// An entity with a filter, a search and an order for each type of value.
struct Gauge: Entity {
    static let noun = "gauge"
    static let collection = "gauges"
    static let ownership = Ownership.author
    static let fields: [EntityField<Gauge>] = [
        .init("title", \.title, .line(1...40)).filterable.searchable.sortable,
        .init("notes", \.notes, .lines(1...400)).searchable,
        .init("level", \.level).filterable.sortable,
        .init("ratio", \.ratio).filterable.sortable,
        .init("is_open", \.isOpen).filterable.sortable,
        .init("read_at", \.readAt).filterable.sortable.lowerBound(as: "since"),
        .init("kind", \.kind).filterable.sortable,
        .init("code", \.code, .line(1...9)).unique.filterable,
        .init("labels", \.labels).filterable(as: "label"),
        .init("sizes", \.sizes).filterable(as: "size"), .init("loads", \.loads).filterable(as: "load"),
        .init("kinds", \.kinds).filterable,
    ]

    enum Kind: String, FieldChoice { case air, water }

    var title: String
    var notes: String?
    var level: Int?
    var ratio: Double?
    var isOpen: Bool
    var readAt: Date?
    var kind: Kind
    var code: String?
    var labels: [String]?
    var sizes: [Int]?
    var loads: [Double]?
    var kinds: [Kind]?

    /// Titles with every letter case, wildcards of SQL, letters outside of ASCII in two spellings, equal values and missing
    /// ones.
    static let examples: [Gauge] = {
        let titles = [
            "Disk", "disk full", "DISK", "100% wet", "100 wet", "a_b", "aXb", "Ärger", "ärger", "A\u{308}rger", "日本",
            "back\\slash", "x' OR 1=1 --",
        ]
        return titles.enumerated().map { number, title in
            Gauge(
                title: title, notes: number.isMultiple(of: 3) ? "Seen by\n\(title)" : nil,
                level: number.isMultiple(of: 4) ? nil : number % 3 - 1,
                ratio: number.isMultiple(of: 5) ? nil : Double(number % 4) * 0.1 - 0.2, isOpen: number % 2 == 0,
                readAt: number % 3 == 2 ? nil : Date(timeIntervalSince1970: 1_767_225_600.007 + Double(number % 5)),
                kind: number % 3 == 0 ? .air : .water, code: nil,
                labels: [
                    nil, ["Wet", "a_b", "two words"], ["dry", "a%b", "", "\t"], [], ["two", "words", "\u{301}x"],
                ][number % 5],
                sizes: [nil, [1, -20], [], [20, 1, 1], [.max]][number % 5],
                loads: [[0.5, 2], nil, [-0.0, 1e300], []][number % 4],
                kinds: [nil, [.water, .air], [.air], []][number % 4])
        }
    }()

    /// Each filter, search and order, alone and together.
    static var queries: [EntityQuery<Gauge>] {
        let filters: [[String: JSONValue]] = [
            [:], ["title": .string("Disk")], ["title": .string("Ärger")], ["level": .integer(-1)],
            ["ratio": .number(-0.1)], ["is_open": .bool(true)], ["is_open": .bool(false), "kind": .string("air")],
            ["read_at": .string("2026-01-01T01:00:02.007+01:00")], ["title": .string("nothing")],
            ["labels": .array([.string("wet")])], ["labels": .array([.string("a%b")])],
            ["labels": .array([.string("a_b")])],
            ["labels": .array([.string("dr")])],
        ]
        let searches = [nil, "dIsK", "%", "_", "\\", "' or", "ärger", "Ä", "日", "seen", "nothing"]
        let sorts = [nil] + fields.filter(\.isSortable).flatMap { [$0.name, "-\($0.name)"] }
        let crossed = filters.flatMap { filter in
            sorts.map { EntityQuery<Gauge>(filters: filter, sort: $0.map { .init($0) }) }
        }
        let items: [[String: JSONValue]] =
            ["two words", "TWO", "", "\t", "\u{301}X"].map { ["labels": .array([.string($0)])] }
            + [1, 2, -20, .max].map { ["sizes": .array([.integer($0)])] }
            + [2, 0, 1e300].map { ["loads": .array([.number($0)])] }
            + [["kinds": .array([.string("air")])]]
        // One hour ahead of UTC.
        let bounds: [String: JSONValue] = ["read_at": .string("2026-01-01T01:00:02.007+01:00")]
        let both: [String: JSONValue] = ["is_open": .bool(true), "kind": .string("water")]
        let bounded = [nil, "-read_at"].flatMap { sort in
            [[:], both].map {
                EntityQuery<Gauge>(filters: $0, lowerBounds: bounds, sort: sort.map { .init($0) })
            }
        }
        return crossed + items.map { EntityQuery(filters: $0, sort: .init("-title")) }
            + searches.map { EntityQuery(search: $0, sort: .init("-title")) }
            + [1, 3, 1000].map { EntityQuery(sort: .init("level"), limit: $0) } + [EntityQuery(limit: 2)]
            + bounded
    }
}

struct GaugesService: FeatureService {
    private let table = EntityTable<Gauge>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
