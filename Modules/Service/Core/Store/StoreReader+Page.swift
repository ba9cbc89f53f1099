public import StrataDomain

extension StoreReader {
    /// One page of a list. It reads at most one row beyond the page.
    ///
    /// - Parameters:
    ///   - list: Name of the list in its cursors.
    ///   - statement: Selects the rows after the cursor in the order of the list, without `LIMIT`.
    ///   - limit: Most items. The page has fewer when the next would exceed `PageLimit.bytes`; `nextCursor` is set either way.
    ///   - item: Makes an item from a row.
    ///   - cursor: The cursor after an item.
    public func page<Item>(
        of list: String, _ statement: Statement, limit: Int, _ item: (StoreRow) throws -> Item,
        cursor: (Item) -> KeysetCursor
    ) throws -> CursorPage<Item> {
        try page(of: list, [statement], limit: limit, item, cursor: cursor)
    }

    /// The same for a list in parts: the rows of the first statement, then those of the next.
    func page<Item>(
        of list: String, _ statements: [Statement], limit: Int, _ item: (StoreRow) throws -> Item,
        cursor: (Item) -> KeysetCursor
    ) throws -> CursorPage<Item> {
        var items: [Item] = []
        var budget = PageBudget()
        var hasMore = false
        for statement in statements where !hasMore {
            try forEachRow(of: "\(statement) LIMIT \(limit + 1 - items.count)") { row in
                guard items.count < limit, budget.admits(row.jsonSize) else {
                    hasMore = true
                    return false
                }
                items.append(try item(row))
                return true
            }
        }
        let next = hasMore ? items.last.map(cursor) : nil
        return CursorPage(items: items, nextCursor: try next?.text(for: list))
    }
}
