import StrataDomain

extension StoreReader {
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
}
