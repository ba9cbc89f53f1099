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
    func list<Item: Encodable>(
        _ all: [Item], of total: Int? = nil, _ limit: ListOptions, _ columns: [Table.Column], empty: String,
        row: (Item) -> [Table.Cell]
    ) throws {
        let items = Array(all.prefix(limit.rows(self)))
        defer { noteCut(shown: items.count, of: total ?? all.count) }
        if isJSON { return try json(items) }
        var table = Table(columns)
        for item in items { table.add(row(item)) }
        self.table(table, empty: empty)
    }
}
