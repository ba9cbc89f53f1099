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

    /// The JSON of a page of entities, for a list in parts: the rows of the first statement, then those of the next.
    ///
    /// - Parameter cursor: The cursor after a row.
    func page<Content: Entity>(
        of list: String, _ statements: [Statement], limit: Int, _ writer: RowWriter,
        cursor: (StoreRow) throws -> KeysetCursor
    ) throws -> EncodedJSON<CursorPage<Stored<Content>>> {
        var text = JSONText()
        text.raw("{\"items\":[")
        var last: StoreRow?
        var budget = PageBudget()
        let hasMore = try forEachRow(ofPage: statements, limit: limit) { row in
            let end = text.bytes.count
            if last != nil { text.raw(",") }
            try writer.write(row, to: &text)
            guard budget.admits(text.bytes.count - end) else {
                text.cut(to: end)
                return false
            }
            last = row
            return true
        }
        let next = hasMore ? try last.map(cursor)?.text(for: list) : nil
        text.raw("],\"next_cursor\":")
        try text.value(next.map(JSONValue.string) ?? .null)
        text.raw("}")
        return EncodedJSON(text, nextCursor: next)
    }

    /// Passes the rows of a page to `body`, which refuses the first row that does not fit.
    ///
    /// - Returns: Whether a row comes after the page.
    private func forEachRow(
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
