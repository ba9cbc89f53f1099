public import FoundationEssentials

/// Counts, and sums of number fields, of an entity's rows: by the values of fields, and by hour, day or month in UTC.
///
/// ```swift
/// static let aggregates: [Aggregate<Shift>] = [
///     Aggregate("per-day", by: ["team"], per: .day, of: "starts_at"), Aggregate("hours", sum: ["hours"], by: ["team"]),
/// ]
/// ```
///
/// The server has `GET /v1/shifts/aggregates/per-day`, of the rows that the caller sees, and commands have `stats per-day`.
public struct Aggregate<Content: Entity>: Sendable {
    /// In the path and on the terminal: 1 to 40 of `a` to `z`, `0` to `9` and `-`.
    public let name: String
    /// The names on the wire of the fields whose values are summed.
    public let sums: [String]
    /// The names on the wire of the fields that have one value in each row of the result.
    public let groups: [String]
    /// The span of a row of the result. `nil`: all of the time.
    public let step: AggregateStep?
    /// The name on the wire of the field of the time. `nil`: none; `since` and `until` are then refused.
    public let time: String?

    /// - Parameters:
    ///   - sum: Fields of numbers. A row without a value adds nothing, nor does a number beyond ±1e290.
    ///   - groups: Fields that are no list, no time and no text of several lines. Default: none.
    ///   - step: The span of a row of the result. Default: all of the time.
    ///   - time: The field of the time, by which `since` and `until` choose. Default: none.
    public init(
        _ name: String, sum: [String] = [], by groups: [String] = [], per step: AggregateStep? = nil,
        of time: String? = nil
    ) {
        (self.name, sums, self.groups) = (name, sum, groups)
        (self.step, self.time) = (step, time)
    }

    /// As in a sentence: `count, and sums of hours, by team, per day of starts_at (UTC)`.
    public var text: String {
        "count" + (sums.isEmpty ? "" : " and sum of \(sums.joined(separator: ", "))")
            + (groups.isEmpty ? "" : ", by \(groups.joined(separator: ", "))")
            + (step.map { ", per \($0.rawValue) of \(time ?? "") (UTC)" } ?? "")
    }

    /// One sentence for each part that the fields do not allow; for tests.
    package var flaws: [String] {
        func flaw(_ name: String, _ isFit: (EntityField<Content>) -> Bool, _ reason: String) -> String? {
            let field = Content.fields.first { $0.name == name }
            return field.map(isFit) == true ? nil : "The aggregate '\(self.name)' names '\(name)', which \(reason)."
        }
        let isName =
            (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        return [isName ? nil : "The aggregate '\(name)' must be named with a to z, 0 to 9 and '-'."].compactMap(\.self)
            + sums.compactMap { flaw($0, { $0.kind == .integer || $0.kind == .number }, "is no field of numbers") }
            + groups.compactMap {
                flaw($0, { [.text, .integer, .flag].contains($0.kind) && !$0.isLong }, "is no field of short values")
            }
            + [time].compactMap { $0.flatMap { flaw($0, { $0.kind == .time }, "is no field of a time") } }
            + (step != nil && time == nil ? ["The aggregate '\(name)' has a span, and no field of a time."] : [])
    }
}

extension Aggregate {
    package var groupFields: [EntityField<Content>] { Self.fields(groups) }
    package var sumFields: [EntityField<Content>] { Self.fields(sums) }
    package var timeField: EntityField<Content>? { Self.fields([time].compactMap(\.self)).first }

    private static func fields(_ names: [String]) -> [EntityField<Content>] {
        names.compactMap { name in Content.fields.first { $0.name == name } }
    }

    /// A row of the result.
    ///
    /// - Parameters:
    ///   - milliseconds: A time inside its span, since 1970; `nil` for rows without a time.
    ///   - values: Of the group fields, in their order.
    ///   - sums: Of the sum fields, in their order.
    package func row(milliseconds: Int?, values: [JSONValue], count: Int, sums: [Double]) -> AggregateRow {
        AggregateRow(
            time: step.flatMap { step in
                milliseconds.map { Date(timeIntervalSince1970: Double(step.start(of: $0)) / 1000) }
            },
            group: Dictionary(zip(groupFields.map(\.name), values)) { first, _ in first }, count: count,
            sums: Dictionary(zip(sumFields, sums).map { ($0.name, Self.number($1, $0.kind)) }) { first, _ in first })
    }

    /// Integers are exact up to 2^53.
    private static func number(_ sum: Double, _ kind: FieldKind) -> JSONValue {
        kind == .integer ? Int(exactly: sum).map { .integer($0) } ?? .number(sum) : .number(sum)
    }

    /// In the order of time, then of the groups; without a value last.
    ///
    /// - Throws: `.validation` for more rows than a result may have.
    package func sorted(_ rows: [AggregateRow]) throws(DomainError) -> [AggregateRow] {
        guard rows.count <= AggregateRow.limit else {
            let advice = time == nil ? "give filters" : "give since and until, or filters"
            let flaw = FieldError(field: "aggregate", message: "has more than \(AggregateRow.limit) rows; \(advice)")
            throw .validation("The aggregate '\(name)' is too large.", fields: [flaw])
        }
        return rows.sorted { one, other in
            let pairs =
                [(one.time?.fieldValue, other.time?.fieldValue)] + groups.map { (one.group[$0], other.group[$0]) }
            for case (let first, let second) in pairs {
                let (first, second) = (first ?? .null, second ?? .null)
                if (first == .null) != (second == .null) { return second == .null }
                if first.precedes(second) { return true }
                if second.precedes(first) { return false }
            }
            return false
        }
    }
}

/// One row of an aggregate: a span of time and a value of each group.
public struct AggregateRow: Sendable, Hashable, Codable {
    /// Most rows of a result.
    public static let limit = 1000

    /// The beginning of the span; `nil` where the aggregate has none, and for rows without a time.
    public var time: Date?
    /// The value of each group field, by name on the wire; `null` for rows without one.
    public var group: [String: JSONValue]
    /// How many rows there are.
    public var count: Int
    /// The sum of each sum field, by name on the wire.
    public var sums: [String: JSONValue]

    /// A row with these values.
    public init(time: Date? = nil, group: [String: JSONValue] = [:], count: Int, sums: [String: JSONValue] = [:]) {
        (self.time, self.group, self.count, self.sums) = (time, group, count, sums)
    }
}

/// The rows of an aggregate on the wire.
public struct AggregateRows: Sendable, Hashable, Codable {
    /// In the order of time and groups.
    public var items: [AggregateRow]

    /// The rows in their order.
    public init(items: [AggregateRow]) { self.items = items }
}

/// The span of a row of an aggregate, in UTC.
public enum AggregateStep: String, Sendable, Hashable, CaseIterable {
    /// One span of the clock or the calendar.
    case hour, day, month

    /// So many days before 1970 an era of 400 years begins, on March 1st of the year -400. A time of RFC 3339 is later, so divisions of
    /// its distance round down.
    package static let daysFromEra = 865_565

    /// The beginning of the span that has a time.
    ///
    /// - Parameter milliseconds: Since 1970, of the years 0 to 9999.
    public func start(of milliseconds: Int) -> Int {
        switch self {
        case .hour: return milliseconds - milliseconds.quotientAndRemainder(flooringBy: 3_600_000).remainder
        case .day: return milliseconds - milliseconds.quotientAndRemainder(flooringBy: 86_400_000).remainder
        case .month:
            let number = milliseconds.quotientAndRemainder(flooringBy: 86_400_000).quotient
            return (number - GregorianDay.date(ofNumber: number).day + 1) * 86_400_000
        }
    }
}
