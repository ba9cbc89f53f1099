public import ArgumentParser
import FoundationEssentials
public import StrataDomain
import StrataSystem

/// `shifts stats [AGGREGATE] [--since 7d] [--until yesterday] [--team Platform] [--search disk]`: counts and sums.
public struct EntityStatsCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        let list = Content.aggregates.map { "\($0.name): \($0.text)." }.joined(separator: "\n")
        let first = Content.aggregates.first?.name ?? ""
        return CommandConfiguration(
            commandName: "stats", abstract: "Count \(Content.plural).",
            discussion: "\(list)\n\nExample: \(ProgramName.current) \(Content.commandName) stats \(first)")
    }

    /// The aggregate; the first one by default.
    @Argument(help: "One of the names above (default: the first).") public var aggregate: String?
    /// `--since`.
    @OptionGroup public var times: SinceOption
    /// `--until`.
    @Option(help: ArgumentHelp("Only what happened before then: \(TimeInput.startForms).", valueName: "time"))
    public var until: String?
    /// An option for each field of the list's filters.
    @OptionGroup(title: "Filters") public var filters: EntityOptions<Content, AggregateFilters>
    /// An option for each lower bound of the list.
    @OptionGroup(title: "Filters") public var lowerBounds: EntityOptions<Content, AggregateBounds>
    /// `--search`.
    @Option(help: "Only those with this text.") public var search: String?
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        try reading.check(options)
        // Whether it can be read does not depend on the time.
        do throws(DomainError) { _ = try until.mapThrowing(TimeInput.current) } catch {
            throw ValidationError(error.description)
        }
    }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let selection = EntityQuery<Content>(
            filters: filters.values, lowerBounds: lowerBounds.values, search: search)
        let query = AggregateQuery(
            aggregate ?? Content.aggregates.first?.name ?? "", since: try times.date(console.timeInput),
            until: try until.mapThrowing(console.timeInput), selection: try await entities.resolved(selection))
        let found = try await entities.aggregate(query, reading.policy(options))
        if let origin = found.origin.note(at: console.clock.now) { console.note(origin) }
        let names = console.isJSON ? ReferenceNames() : await entities.names(in: found.value)
        try await console.paged { console in
            try console.show(found.value) {
                let table = ReferenceNames.$shown.withValue(names) { Self.table(found.value, query.name) }
                console.table(table, empty: "No \(Content.plural) are like this.")
            }
        }
        await console.noteFreshness(entities)
    }

    private static func table(_ rows: [AggregateRow], _ name: String) -> Table {
        guard let aggregate = Content.aggregates.first(where: { $0.name == name }) else { return Table([]) }
        let (groups, sums) = (aggregate.groups, aggregate.sums)
        let fields = Dictionary(Content.fields.map { ($0.name, $0) }) { first, _ in first }
        func titles(_ names: [String]) -> [String] { names.map { (fields[$0]?.label ?? $0).uppercased() } }
        var columns: [Table.Column] = []
        if let step = aggregate.step { columns.append(.init("\(step.rawValue.uppercased()) UTC", isWhole: true)) }
        columns += titles(groups).map { Table.Column($0, isFlexible: true) }
        columns.append(.init("COUNT", isRightAligned: true))
        columns += titles(sums).map { Table.Column($0, isRightAligned: true) }
        var table = Table(columns)
        for row in rows {
            let time = aggregate.step.map { [Table.Cell($0.text(row.time))] } ?? []
            let values = groups.map { Table.Cell(fields[$0]?.text(of: row.group[$0] ?? .null) ?? "") }
            let totals = sums.map { Table.Cell(fields[$0]?.text(of: row.sums[$0] ?? .null) ?? "") }
            table.add(time + values + [.init(QuantityText.count(row.count))] + totals)
        }
        return table
    }
}

/// For an aggregate: the filters of the list, but for the names of its own options.
public enum AggregateFilters: OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool {
        FilterValues.isOffered(field) && !["since", "until"].contains(field.filterName)
    }
    public static func option<Content>(_ field: EntityField<Content>) -> String { FilterValues.option(field) }
    public static func help<Content>(_ field: EntityField<Content>) -> String { FilterValues.help(field) }
    public static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        FilterValues.read(field)
    }
}

/// For an aggregate: the lower bounds of the list, but for the names of its own options.
public enum AggregateBounds: OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool {
        LowerBounds.isOffered(field) && !["since", "until"].contains(field.lowerBoundName)
    }
    public static func option<Content>(_ field: EntityField<Content>) -> String { LowerBounds.option(field) }
    public static func help<Content>(_ field: EntityField<Content>) -> String { LowerBounds.help(field) }
    public static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        LowerBounds.read(field)
    }
}

extension AggregateStep {
    /// `2026-11-21 09:00`, `2026-11-21`, `2026-11`; `none` without a time.
    fileprivate func text(_ start: Date?) -> String {
        guard let start else { return "none" }
        let text = TimeText.utc.point(start)
        return switch self {
        case .hour: String(text.prefix(16))
        case .day: String(text.prefix(10))
        case .month: String(text.prefix(7))
        }
    }
}

extension String? {
    fileprivate func mapThrowing(_ times: TimeInput) throws(DomainError) -> Date? {
        guard let self else { return nil }
        return try times.start(self)
    }
}
