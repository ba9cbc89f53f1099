import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting

/// An entity with counts and sums by each kind of group and span. Rows belong to their author.
struct Watch: Entity {
    static let noun = "watch"
    static let collection = "watches"
    static let ownership = Ownership.author
    static let fields: [EntityField<Watch>] = [
        .init("place", \.place, .line(0...40)).filterable.searchable,
        .init("team", \.team).filterable, .init("is_late", \.isLate).filterable,
        .init("hours", \.hours), .init("visits", \.visits).lowerBound(as: "at_least"),
        .init("starts_at", \.startsAt).sortable.lowerBound(as: "since"),
    ]
    static let aggregates: [Aggregate<Watch>] = [
        Aggregate("per-hour", per: .hour, of: "starts_at"),
        Aggregate("per-day", sum: ["hours", "visits"], by: ["team", "is_late"], per: .day, of: "starts_at"),
        Aggregate("per-month", sum: ["hours"], per: .month, of: "starts_at"),
        Aggregate("by-place", sum: ["visits"], by: ["place"], of: "starts_at"),
        Aggregate("total", sum: ["hours", "visits"]),
        Aggregate("by-visits", by: ["visits"]),
    ]

    enum Team: String, FieldChoice { case day, night }

    var place: String?
    var team: Team?
    var isLate: Bool
    var hours: Double?
    var visits: Int?
    var startsAt: Date?

    /// Times around the ends of days, months, leap days and years, from the year 0 to 9999; texts that differ in case or spelling.
    static func random(_ random: inout SeededRandom) -> Watch {
        let months = [
            "0000-01-01", "0000-03-01", "1600-03-01", "1899-12-31", "1900-03-01", "1970-01-01", "1999-12-31",
            "2000-02-29",
            "2024-02-29", "2024-03-01", "2026-11-30", "9999-12-31",
        ]
        let offsets = [0, 1, 999, 3_599_999, 3_600_000, 86_399_999]
        let day = RFC3339.date(from: "\(months.randomElement(using: &random) ?? "")T00:00:00Z") ?? .noon
        let time = day.addingTimeInterval(Double(offsets.randomElement(using: &random) ?? 0) / 1000)
        let places = ["", "Roof", "roof", "\u{C4}rger", "A\u{308}rger", "x' OR 1=1 --", "1:", "-"]
        func isMissing() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
        return Watch(
            place: isMissing() ? nil : places.randomElement(using: &random),
            team: isMissing() ? nil : Team.allCases.randomElement(using: &random), isLate: .random(using: &random),
            // Exact in binary, so the order of a sum does not matter.
            hours: isMissing() ? nil : Double(Int.random(in: -8...8, using: &random)) / 4,
            visits: isMissing() ? nil : Int.random(in: -3...3, using: &random), startsAt: isMissing() ? nil : time)
    }
}

struct WatchesService: FeatureService {
    let table = EntityTable<Watch>()
    var migrations: [StoreMigration] { table.migrations }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
