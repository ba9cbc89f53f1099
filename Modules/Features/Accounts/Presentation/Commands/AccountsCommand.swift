package import AccountsDomain
package import StrataTerminal

/// A command about accounts.
package protocol AccountsCommand: ConsoleCommand where Tools == Accounts {}

extension Console {
    /// Prints a list: a table, or JSON as on the wire.
    ///
    /// - Parameters:
    ///   - total: The items of the whole list. Default: `all` is the whole list.
    ///   - empty: Said instead of a table without rows.
    ///   - row: The cells of one item.
    func list<Item: Encodable & Sendable>(
        _ all: [Item], of total: Int? = nil, _ limit: ListOptions, _ columns: [Table.Column], empty: String,
        row: @escaping @Sendable (Item) -> [Table.Cell]
    ) throws {
        let view = ListView<Item>(rows: limit.rows(self), empty: empty) { items in
            var table = Table(columns)
            for item in items { table.add(row(item)) }
            return table
        }
        try list(all, view, of: total)
    }
}
