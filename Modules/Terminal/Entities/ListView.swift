public import StrataDomain

/// How a list that is followed looks.
public struct ListView<Content: Entity>: Sendable {
    /// Rows to show at most.
    let rows: Int
    /// Said instead of a table without rows.
    let empty: String
    let table: @Sendable ([Stored<Content>]) -> Table
    let json: @Sendable ([Stored<Content>], Console) throws -> Void

    /// - Parameters:
    ///   - table: Default: a column for each short field.
    ///   - json: Prints the rows as one document on a line. Default: the entities.
    public init(
        rows: Int, empty: String,
        table: @escaping @Sendable ([Stored<Content>]) -> Table = { Table(entities: $0) },
        json: @escaping @Sendable ([Stored<Content>], Console) throws -> Void = { try $1.json($0) }
    ) {
        self.rows = rows
        self.empty = empty
        self.table = table
        self.json = json
    }
}
