import FoundationEssentials
public import StrataDomain

/// Counts and sums by one statement. The SQL is portable: times are whole milliseconds, so a day or a month is a number.
extension EntityTable {
    /// The rows of an aggregate, of the rows of the list that `caller` sees. `AggregateCounter` has the same result.
    ///
    /// - Throws: 422 for a filter that breaks its field's rule, for `since` or `until` of an aggregate without a time, and for a result
    ///   of more than `AggregateRow.limit` rows.
    public func aggregate(
        _ query: AggregateQuery<Content>, for caller: Principal, in store: any StoreReader
    ) throws -> AggregateRows {
        let query = try ServiceError.accepting(query.validated)
        let aggregate = try ServiceError.accepting { () throws(DomainError) in try query.aggregate }
        let groups = aggregate.groups.compactMap { name in columns.first { $0.name == name } }
        let sums = aggregate.sumFields.indices.map { "aggregate_sum_\($0)" }
        let statement = try self.statement(aggregate, query, groups, for: caller)
        let rows = try store.rows(statement).map { row in
            let time = try aggregate.step.flatMap { _ in try row.intIfAny("aggregate_time") }
            let (values, count) = (try groups.map { try $0.value(row) }, try row.int("aggregate_rows"))
            return aggregate.row(milliseconds: time, values: values, count: count, sums: try sums.map(row.double))
        }
        // Without a group a result has one row, also of no rows.
        let found = rows.filter { $0.count > 0 }
        return AggregateRows(
            items: try ServiceError.accepting { () throws(DomainError) in try aggregate.sorted(found) })
    }

    private func statement(
        _ aggregate: Aggregate<Content>, _ query: AggregateQuery<Content>, _ groups: [SyncedColumn],
        for caller: Principal
    ) throws -> Statement {
        let time = aggregate.timeField?.column
        let span = time.flatMap { time in aggregate.step.map { $0.number(of: time) } }
        var results = groups.map(\.column) + ["COUNT(*) AS aggregate_rows"]
        if let time, span != nil { results.append("MIN(\(time)) AS aggregate_time") }
        for (number, field) in aggregate.sumFields.enumerated() {
            let value = "CAST(\(field.column) AS DOUBLE PRECISION)"
            // PostgreSQL refuses a sum that is too large for its type.
            results.append(
                "COALESCE(SUM(CASE WHEN ABS(\(value)) <= 1e290 THEN \(value) END), 0) AS aggregate_sum_\(number)")
        }
        var rows: Statement = "\(visibility.condition(.read, for: caller)) AND \(try condition(query.selection))"
        if let time, let since = query.since { rows = "\(rows) AND \(raw: time) >= \(since)" }
        if let time, let until = query.until { rows = "\(rows) AND \(raw: time) < \(until)" }
        let keys = ([span].compactMap(\.self) + groups.map(\.column)).joined(separator: ", ")
        let grouping = keys.isEmpty ? "" : "GROUP BY \(keys)"
        return """
            SELECT \(raw: results.joined(separator: ", ")) FROM \(raw: table) WHERE \(rows)
            \(raw: grouping) LIMIT \(AggregateRow.limit + 1)
            """
    }
}

extension AggregateStep {
    /// An expression that is equal for the times of one span: of a column of milliseconds since 1970. Divisions round to zero in every
    /// engine, so the time is counted from an earlier one.
    fileprivate func number(of column: String) -> String {
        let time = "(\(column) + \(Self.daysFromEra * 86_400_000))"
        switch self {
        case .hour: return "\(time) / 3600000"
        case .day: return "\(time) / 86400000"
        case .month:
            // As `start(of:)`.
            let day = "(\(time) / 86400000)"
            let dayOfEra = "(\(day) % 146097)"
            let year = "((\(dayOfEra) - \(dayOfEra) / 1460 + \(dayOfEra) / 36524 - \(dayOfEra) / 146096) / 365)"
            let dayOfYear = "(\(dayOfEra) - (365 * \(year) + \(year) / 4 - \(year) / 100))"
            return "(\(day) / 146097 * 400 + \(year)) * 12 + (5 * \(dayOfYear) + 2) / 153"
        }
    }
}
