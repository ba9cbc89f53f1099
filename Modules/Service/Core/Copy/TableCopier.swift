/// Copies the rows of one table in the order of its key.
struct TableCopier: Sendable {
    let table: StoreTable
    let source: any CopyableStore
    let target: any CopyableStore

    /// Most rows of a transaction.
    private static let mostRows = 1000
    /// Rows of a transaction while their size is unknown.
    private static let firstRows = 32
    /// Bytes of a transaction above which the next has fewer rows.
    private static let manyBytes = 4 << 20

    private struct Batch: Sendable {
        var rows: [[StoreValue]] = []
        var bytes = 0
        /// Whether the table has no row after these.
        var isLast = true
    }

    /// Copies from the place that the target has recorded to the end.
    ///
    /// - Parameter report: Receives the number of copied rows after each transaction.
    func run(_ report: (Int) -> Void) async throws {
        guard !table.key.isEmpty else { throw CopyError.withoutKey(table.name) }
        var place = try await target.read { [table] in try CopyProgress.place(of: table, in: $0) }
        var limit = Self.firstRows
        while !place.isFinished {
            let (key, count) = (place.key, limit)
            let batch = try await source.read { reader in try self.batch(after: key, limit: count, in: reader) }
            let next = try advanced(place, by: batch)
            let old = place
            let isOurs = try await target.write { transaction in
                guard try CopyProgress.advance(table, from: old, to: next, in: transaction) else { return false }
                // Migrations may have inserted rows.
                if old == CopyProgress.Place() { try transaction.execute("DELETE FROM \(raw: table.sqlName)") }
                try insert(batch.rows, in: transaction)
                return true
            }
            guard isOurs else { throw CopyError.otherCopy("\(target)") }
            place = next
            if batch.bytes > Self.manyBytes {
                limit = max(1, limit / 4)
            } else if batch.bytes < Self.manyBytes / 4 {
                limit = min(Self.mostRows, limit * 2)
            }
            report(place.rows)
        }
    }

    private func advanced(_ old: CopyProgress.Place, by batch: Batch) throws(CopyError) -> CopyProgress.Place {
        var next = old
        next.rows += batch.rows.count
        next.isFinished = batch.isLast
        guard let last = batch.rows.last else { return next }
        let places = table.key.compactMap(table.columns.firstIndex)
        next.key = places.map { last[$0] }
        let isOrdered = next.key?.allSatisfy { value in
            switch value {
            case .integer, .text: true
            case .null, .real, .blob: false
            }
        }
        guard isOrdered == true, places.count == table.key.count else { throw .withoutKey(table.name) }
        return next
    }

    private func batch(after key: [StoreValue]?, limit: Int, in reader: any StoreReader) throws -> Batch {
        var batch = Batch()
        let rest: Statement = key.map { "WHERE (\(raw: table.sqlKey)) > (\(list: $0))" } ?? ""
        let statement: Statement = """
            SELECT \(raw: table.sqlColumns) FROM \(raw: table.sqlName) \(rest)
            ORDER BY \(raw: table.sqlKey) LIMIT \(limit + 1)
            """
        try reader.forEachRow(of: statement) { row in
            guard batch.rows.count < limit else {
                batch.isLast = false
                return false
            }
            let values = try row.values(of: table.columns)
            batch.bytes += values.reduce(0) { $0 + $1.size }
            batch.rows.append(values)
            return true
        }
        return batch
    }

    /// Inserts rows, up to 64 with one statement. Their number and the places of NULL make few different statements, which
    /// an engine prepares once.
    private func insert(_ rows: [[StoreValue]], in transaction: any StoreTransaction) throws {
        for group in Dictionary(grouping: rows, by: { $0.map { $0 == .null } }).values {
            var rest = group[...]
            for size in [64, 8, 1] {
                while rest.count >= size {
                    try transaction.execute(insertion(of: rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
            }
        }
    }

    private func insertion(of rows: ArraySlice<[StoreValue]>) -> Statement {
        var text = Statement.StringInterpolation(
            literalCapacity: 0, interpolationCount: rows.count * table.columns.count)
        text.appendInterpolation("INSERT INTO \(raw: table.sqlName) (\(raw: table.sqlColumns)) VALUES " as Statement)
        for (index, row) in rows.enumerated() {
            text.appendLiteral(index == 0 ? "(" : ", (")
            text.appendInterpolation(list: row)
            text.appendLiteral(")")
        }
        return Statement(stringInterpolation: text)
    }
}

extension StoreTable {
    // Quoted, because a name may be a key word.
    var sqlName: String { "\"\(name)\"" }
    var sqlColumns: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }
    var sqlKey: String { key.map { "\"\($0)\"" }.joined(separator: ", ") }
}

extension StoreValue {
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
