import FoundationEssentials

/// Counts entities one after the other. The SQL of the server has the same result; sums of fractions may differ in their last digit.
struct AggregateCounter<Content: Entity>: Sendable {
    private struct Tally {
        let milliseconds: Int?
        let values: [JSONValue]
        var count = 0
        var sums: [Double]
    }

    private let query: AggregateQuery<Content>
    private let aggregate: Aggregate<Content>
    private let fields: (time: EntityField<Content>?, groups: [EntityField<Content>], sums: [EntityField<Content>])
    private var tallies: [[UInt8]: Tally] = [:]

    init(_ query: AggregateQuery<Content>) throws(DomainError) {
        (self.query, aggregate) = (query, try query.aggregate)
        fields = (aggregate.timeField, aggregate.groupFields, aggregate.sumFields)
    }

    mutating func add(_ item: Stored<Content>) {
        let time = fields.time.flatMap { $0.value(item.content).string }.flatMap(RFC3339.date(from:))?.wholeMilliseconds
        if let since = query.since?.wholeMilliseconds, time.map({ $0 >= since }) != true { return }
        if let until = query.until?.wholeMilliseconds, time.map({ $0 < until }) != true { return }
        let values = fields.groups.map { $0.value(item.content) }
        let start = aggregate.step.flatMap { step in time.map(step.start) }
        let key = Self.key(start, values)
        var tally = tallies[key] ?? Tally(milliseconds: start, values: values, sums: fields.sums.map { _ in 0 })
        tally.count += 1
        for (place, field) in fields.sums.enumerated() {
            guard let number = Double(fieldValue: field.value(item.content)), abs(number) <= 1e290 else { continue }
            tally.sums[place] += number
        }
        tallies[key] = tally
    }

    /// - Throws: `.validation` for more rows than a result may have.
    func rows() throws(DomainError) -> [AggregateRow] {
        try aggregate.sorted(
            tallies.values.map {
                aggregate.row(milliseconds: $0.milliseconds, values: $0.values, count: $0.count, sums: $0.sums)
            })
    }

    /// Texts are equal if their bytes are, as in a database.
    private static func key(_ time: Int?, _ values: [JSONValue]) -> [UInt8] {
        var key = Array("\(time.map(String.init) ?? "")".utf8)
        for value in values {
            let text = value.filterText
            key += Array("\(value == .null ? "-" : "\(text.utf8.count)"):".utf8) + Array(text.utf8)
        }
        return key
    }
}

extension Date {
    /// Since 1970, as a database has it.
    fileprivate var wholeMilliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }
}
