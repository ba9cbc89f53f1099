public import StrataDomain

/// Lists in pages. The SQL is portable; texts compare by bytes, so a PostgreSQL database needs the collation `C`, where
/// `LOWER` folds `A` to `Z` alone, as in SQLite.
extension EntityTable {
    /// A page of the list that `query` asks for, of the rows that `caller` sees, bounded in rows and bytes. `EntityQuery.entities(of:)` has the same result.
    ///
    /// - Parameter query: With the rows of a page as limit, 1 to `Entity.largestPage`. Default 50.
    /// - Throws: 400 for a cursor of another list or query, 422 for a limit out of range and for a value that breaks its field's rule.
    public func page(
        _ query: EntityQuery<Content>, after cursor: String?, for caller: Principal, in store: any StoreReader
    ) throws -> EncodedJSON<CursorPage<Stored<Content>>> {
        let limit = try PageLimit.checked(query.limit, in: 1...Content.largestPage, default: 50)
        let query = try ServiceError.accepting(query.validated)
        let order = order(of: query)
        return try store.page(
            of: listName(query), statements(query, after: cursor, for: caller), limit: limit, writer
        ) { row in
            guard let order else { return KeysetCursor(try row.text("id")) }
            return KeysetCursor(try order.cursorText(of: row), try row.text("id"))
        }
    }

    /// The rows of the list after `cursor`, one part after the other.
    func statements(
        _ query: EntityQuery<Content>, after cursor: String?, for caller: Principal
    ) throws -> [Statement] {
        let order = order(of: query)
        let last = try cursor.map { try KeysetCursor($0, for: listName(query), count: order == nil ? 1 : 2) }
        let rows: Statement =
            "SELECT \(selection) WHERE \(visibility.condition(.read, for: caller)) AND \(try condition(query))"
        return try order?.statements(rows, after: last) ?? [newestFirst(rows, after: last)]
    }

    private func order(of query: EntityQuery<Content>) -> ListOrder? {
        guard let sort = query.order, let column = columns.first(where: { $0.name == sort.field }) else { return nil }
        return ListOrder(column, isDescending: sort.isDescending)
    }

    private func newestFirst(_ rows: Statement, after last: KeysetCursor?) -> Statement {
        let next: Statement = last.map { " AND id < \($0.values[0])" } ?? ""
        return "\(rows)\(next) ORDER BY id DESC"
    }

    /// The name in cursors: with a query also its order and a hash of the whole, so that no other query takes the cursor.
    private func listName(_ query: EntityQuery<Content>) -> String {
        var query = query
        query.limit = nil
        guard !query.isComplete else { return name }
        var hash = StableHash()
        hash.combine(query.items.encoded)
        return "\(name) \(query.sort?.text ?? "") \(hash.text)"
    }

    /// - Throws: 422 for a filter with a value of another type.
    func condition(_ query: EntityQuery<Content>) throws -> Statement {
        var conditions: [Statement] = []
        for column in columns {
            guard let wanted = query.filters[column.name] else { continue }
            if column.kind.isList, case .array(let items) = wanted {
                let parts = items.compactMap { ListText.part($0, column.kind) }
                conditions += parts.map { Self.column(column.column, contains: $0) }
                if parts.count == items.count { continue }
            }
            guard let value = column.stored(wanted) else {
                throw ServiceError.validation([FieldError(field: column.name, message: "must be \(column.expected)")])
            }
            conditions.append("\(raw: column.column) = \(value)")
        }
        for column in columns {
            if let least = query.lowerBounds[column.name].flatMap(column.stored) {
                conditions.append("\(raw: column.column) >= \(least)")
            }
        }
        if let text = query.foldedSearch { conditions.append(search(text)) }
        return conditions.dropFirst().reduce(conditions.first ?? "1 = 1") { "\($0) AND \($1)" }
    }

    /// - Parameter text: As `Entity.searchText` gives it.
    private func search(_ text: String) -> Statement {
        if let searchColumn = Content.searchColumn { return Self.column(searchColumn, contains: text) }
        let matches = Content.fields.filter(\.isSearchable).map { Self.column($0.column, contains: text) }
        return "(\(matches.dropFirst().reduce(matches.first ?? "1 = 0") { "\($0) OR \($1)" as Statement }))"
    }

    /// `A` to `Z` are the same as `a` to `z`; `%` and `_` of the text have no meaning.
    private static func column(_ name: String, contains text: String) -> Statement {
        let escaped = text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
        return "LOWER(\(raw: name)) LIKE LOWER(\("%\(escaped)%")) ESCAPE '\\'"
    }
}

/// The order by a column and the id. Rows without a value come last, as statements of their own: engines differ on where they
/// sort, and each statement reads the index.
private struct ListOrder {
    private let column: SyncedColumn
    private let direction: Statement
    private let comparison: Statement

    init(_ column: SyncedColumn, isDescending: Bool) {
        self.column = column
        (direction, comparison) = isDescending ? ("DESC", "<") : ("ASC", ">")
    }

    /// - Throws: 400 for a cursor that this service did not write.
    func statements(_ rows: Statement, after last: KeysetCursor?) throws -> [Statement] {
        let name = Statement(stringLiteral: column.column)
        let withoutValue: Statement = "\(rows) AND \(name) IS NULL"
        let withValue: Statement = mayLackValue ? "\(rows) AND \(name) IS NOT NULL" : rows
        let byValue: Statement = "ORDER BY \(name) \(direction), id \(direction)"
        guard let last else { return parts("\(withValue) \(byValue)", "\(withoutValue) ORDER BY id \(direction)") }
        let id = last.values[1]
        guard !last.values[0].isEmpty else {
            return ["\(withoutValue) AND id \(comparison) \(id) ORDER BY id \(direction)"]
        }
        guard let value = value(last.values[0].dropFirst()) else { throw KeysetCursor.invalid }
        return parts(
            "\(withValue) AND (\(name), id) \(comparison) (\(value), \(id)) \(byValue)",
            "\(withoutValue) ORDER BY id \(direction)")
    }

    private func parts(_ withValue: Statement, _ withoutValue: Statement) -> [Statement] {
        mayLackValue ? [withValue, withoutValue] : [withValue]
    }

    /// Rows from before a field had to have a value may still lack one.
    private var mayLackValue: Bool { column.isOptional || column.history != nil }

    /// `=` and the stored value; empty without one.
    func cursorText(of row: StoreRow) throws -> String {
        // The order is that of what is stored.
        switch try column.history == nil ? column.stored(column.value(row)) : row.value(column.column) {
        case .text(let text): "=\(text)"
        case .integer(let number): "=\(number)"
        case .real(let number): "=\(number)"
        case .null, .blob, nil: ""
        }
    }

    private func value(_ text: Substring) -> StoreValue? {
        switch column.kind {
        case .text, .words, .integers, .numbers, .json: .text(String(text))
        case .integer, .flag, .time: Int(text).map { .integer($0) }
        case .number: Double(text).map { .real($0) }
        }
    }
}
