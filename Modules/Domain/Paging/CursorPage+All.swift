extension CursorPage where Item: Identifiable, Item.ID: Sendable {
    /// Every item of a list, in its order. An item that moved between two pages comes once, in its last state.
    ///
    /// - Parameters:
    ///   - limit: Items after which no page is asked for, and which are the most that are returned. Default: none.
    ///   - next: Gets the page after a cursor; `nil` for the first page.
    /// - Throws: `.unexpected` for a list without an end, and what `next` throws.
    public static func all(
        upTo limit: Int = .max, _ next: (_ cursor: String?) async throws(DomainError) -> CursorPage
    ) async throws(DomainError) -> [Item] {
        var items: [Item] = []
        var seen: Set<String> = []
        var cursor: String?
        repeat {
            let page = try await next(cursor)
            items += page.items
            cursor = page.nextCursor
            if let cursor, !seen.insert(cursor).inserted || seen.count > 2000 {
                throw .unexpected("The server's list has no end; tell its administrator.")
            }
        } while cursor != nil && items.count < limit
        let places = Dictionary(items.enumerated().map { ($1.id, $0) }) { _, last in last }
        return Array(items.enumerated().filter { places[$1.id] == $0 }.map(\.element).prefix(limit))
    }

    /// Passes every item of a list to `body`, in its order and page by page. An item that moved between two pages comes once, in its
    /// first state. Of each item that was read, 8 bytes are kept.
    ///
    /// - Parameters:
    ///   - limit: The most items. Default: none.
    ///   - next: As for `all`.
    /// - Throws: As `all`.
    package static func forEach(
        upTo limit: Int = .max, _ next: (_ cursor: String?) async throws(DomainError) -> CursorPage,
        _ body: (Item) -> Void
    ) async throws(DomainError) where Item.ID: CustomStringConvertible {
        var known: Set<UInt64> = []
        var cursors: Set<UInt64> = []
        var cursor: String?
        repeat {
            let page = try await next(cursor)
            for item in page.items where known.count < limit && known.insert(hash(item.id.description)).inserted {
                body(item)
            }
            cursor = page.nextCursor
            if let cursor, !cursors.insert(hash(cursor)).inserted {
                throw .unexpected("The server's list has no end; tell its administrator.")
            }
        } while cursor != nil && known.count < limit
    }

    private static func hash(_ text: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(text)
        return hash.value
    }
}
