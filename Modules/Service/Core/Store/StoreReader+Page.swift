public import StrataDomain

extension StoreReader {
    /// One page of a list. Rows are read one at a time, and no more than one behind the page.
    ///
    /// - Parameters:
    ///   - list: Name of the list, which its cursors carry.
    ///   - statement: The rows from the cursor on, in the order of the list, without `LIMIT`.
    ///   - limit: Most items. There are fewer when the next one would take the page above `PageLimit.bytes`; `nextCursor`
    ///     tells where the list goes on either way.
    ///   - item: What the page shows of a row.
    ///   - cursor: Where the list goes on behind an item.
    public func page<Item>(
        of list: String, _ statement: Statement, limit: Int, _ item: (StoreRow) throws -> Item,
        cursor: (Item) -> KeysetCursor
    ) throws -> CursorPage<Item> {
        var items: [Item] = []
        var budget = PageBudget()
        var hasMore = false
        try forEachRow(of: "\(statement) LIMIT \(limit + 1)") { row in
            guard items.count < limit, budget.admits(row.jsonSize) else {
                hasMore = true
                return false
            }
            items.append(try item(row))
            return true
        }
        let next = hasMore ? items.last.map(cursor) : nil
        return CursorPage(items: items, nextCursor: try next?.text(for: list))
    }
}
