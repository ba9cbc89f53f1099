package import RunbooksDomain
package import StrataDomain
import StrataService

/// `GET /v1/runbooks`: by title, in pages, filtered by one tag and by a text in title or body. Older than `ListEntities`, which
/// refuses a filter with 400: here it is 422.
package struct ListRunbooks: RoutedEndpoint {
    package static let route = ListEntities<Runbook>.route
    package typealias Response = CursorPage<Stored<Runbook>>
    package static let documentation = EndpointDocumentation(
        details: "By title, in pages.",
        schemas: [
            "limit": .integer(1...200, default: 50), "tag": .text(1...40, pattern: "^[a-z0-9-]+$"),
            "q": .searchText, "sort": .choice(["title", "-title"]),
        ], problems: [400: ["invalid_cursor"]])

    @Query package var cursor: String?
    /// Runbooks in a page, 1 to 200. Default 50.
    @Query package var limit: Int?
    @Query package var tag: String?
    /// Text in title or body, in any case.
    @Query package var q: String?
    /// `title` or `-title`. Default: `title`.
    @Query package var sort: String?

    package init(
        cursor: String? = nil, limit: Int? = nil, tag: String? = nil, q: String? = nil, sort: String? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.tag = tag
        self.q = q
        self.sort = sort
    }

    /// - Throws: 422 for a filter and an order that the list does not have.
    fileprivate func query() throws -> EntityQuery<Runbook> {
        try ServiceError.accepting { () throws(DomainError) in
            var check = FieldCheck()
            if let tag, !RunbookTag.isLegal(tag) { check.refuse("tag", RunbookTag.rule) }
            if let q, !(1...200).contains(q.utf8.count) { check.text("q", q, bytes: 1...200) }
            try check.orThrow("The filter is not valid.")
            return try EntityQuery(
                filters: tag.map { ["tags": .array([.string($0)])] } ?? [:], search: q, sort: sort.map { .init($0) }
            ).validated()
        }
    }
}

extension EntityTable<Runbook> {
    /// A page of the list, by title, then id, in either direction.
    ///
    /// - Throws: 400 for a cursor of another list, 422 for a filter, an order or a limit that the list does not have.
    func page(_ call: ListRunbooks, in store: any StoreReader) throws -> EncodedJSON<CursorPage<Stored<Runbook>>> {
        let limit = try PageLimit.checked(call.limit, in: 1...200, default: 50)
        let query = try call.query()
        let isDescending = query.sort?.isDescending == true
        let list = isDescending ? "\(name) -title" : name
        let after = try call.cursor.map { try KeysetCursor($0, for: list, count: 2).values }.map { last -> Statement in
            isDescending ? "(title, id) < (\(last[0]), \(last[1]))" : "(title, id) > (\(last[0]), \(last[1]))"
        }
        return try page(
            of: list, filters: query.filters, search: query.search, where: after.map { [$0] } ?? [],
            order: isDescending ? "title DESC, id DESC" : "title, id", limit: limit, in: store
        ) { KeysetCursor(try $0.text("title"), try $0.text("id")) }
    }
}
