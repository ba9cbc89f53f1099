/// How a list looks.
public struct ListView<Item: Sendable>: Sendable {
    /// Rows to show at most.
    let rows: Int
    /// Said instead of a table without rows.
    let empty: String
    let table: @Sendable ([Item]) -> Table
    /// The JSON of a row.
    let document: @Sendable (Item) -> any Encodable

    public init(
        rows: Int, empty: String, table: @escaping @Sendable ([Item]) -> Table,
        document: @escaping @Sendable (Item) -> any Encodable
    ) {
        self.rows = rows
        self.empty = empty
        self.table = table
        self.document = document
    }
}

extension ListView where Item: Encodable {
    /// The JSON of a row is the row.
    public init(rows: Int, empty: String, table: @escaping @Sendable ([Item]) -> Table) {
        self.init(rows: rows, empty: empty, table: table) { $0 }
    }
}
