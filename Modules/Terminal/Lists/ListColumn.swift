/// A column of a list, and its cell in each row.
public struct ListColumn<Item>: Sendable {
    let column: Table.Column
    /// The heading in an export.
    let name: String
    /// Left out of the list; `show` prints it.
    let isDetail: Bool
    let cell: @Sendable (Item) -> Table.Cell

    /// A column of a list.
    ///
    /// - Parameter name: The heading in an export. Default: from the title, `last_used`.
    public init(
        _ column: Table.Column, name: String? = nil, isDetail: Bool = false,
        cell: @escaping @Sendable (Item) -> Table.Cell
    ) {
        self.name = name ?? column.title.lowercased().replacing(" ", with: "_")
        (self.column, self.isDetail, self.cell) = (column, isDetail, cell)
    }
}

extension ListColumn {
    /// - Parameter owner: The id of what all rows belong to.
    static func id(of owner: String? = nil, _ id: @escaping @Sendable (Item) -> String) -> ListColumn {
        ListColumn(.id("ID", of: owner)) { .init(id($0), .dim) }
    }
}

extension Table {
    init<Item>(_ items: [Item], _ columns: [ListColumn<Item>]) {
        let columns = columns.filter { !$0.isDetail }
        self.init(columns.map(\.column))
        for item in items { add(columns.map { $0.cell(item) }) }
    }
}
