/// How a list looks.
public struct ListView<Item: Sendable>: Sendable {
    /// The options of the command.
    let options: ListOptions
    /// Said instead of a table without rows.
    var empty: String
    let table: @Sendable ([Item]) -> Table
    /// The JSON of a row.
    let document: @Sendable (Item) -> any Encodable

    /// How the rows of a list are shown.
    public init(
        _ options: ListOptions, empty: String, table: @escaping @Sendable ([Item]) -> Table,
        document: @escaping @Sendable (Item) -> any Encodable
    ) {
        self.options = options
        self.empty = empty
        self.table = table
        self.document = document
    }
}

extension ListView where Item: Encodable {
    /// The JSON of a row is the row.
    public init(_ options: ListOptions, empty: String, table: @escaping @Sendable ([Item]) -> Table) {
        self.init(options, empty: empty, table: table) { $0 }
    }
}
