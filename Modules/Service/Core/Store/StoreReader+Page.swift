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
        var items: [Item] = []
        var budget = PageBudget()
        let hasMore = try forEachRow(ofPage: [statement], limit: limit) { row in
            guard budget.admits(row.jsonSize) else { return false }
            items.append(try item(row))
            return true
        }
        let next = hasMore ? items.last.map(cursor) : nil
        return CursorPage(items: items, nextCursor: try next?.text(for: list))
    }

    /// Passes the rows of a page to `body`, which refuses the first row that does not fit.
    ///
    /// - Returns: Whether a row comes after the page.
    func forEachRow(
        ofPage statements: [Statement], limit: Int, _ body: (StoreRow) throws -> Bool
    ) throws -> Bool {
        var (count, hasMore) = (0, false)
        for statement in statements where !hasMore {
            try forEachRow(of: "\(statement) LIMIT \(limit + 1 - count)") { row in
                hasMore = try count >= limit || !body(row)
                count += 1
                return !hasMore
            }
        }
        return hasMore
    }
}
