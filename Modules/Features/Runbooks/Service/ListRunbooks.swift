package import RunbooksDomain
package import StrataDomain

/// `GET /v1/runbooks`: by title, in pages, filtered by one tag and by a text in title or body.
package struct ListRunbooks: RoutedEndpoint {
    package static let route = ListEntities<Runbook>.route
    package typealias Response = CursorPage<Stored<Runbook>>

    @Query package var cursor: String?
    /// Runbooks in a page, 1 to 200. Default 50.
    @Query package var limit: Int?
    @Query package var tag: String?
    /// Text in title or body, in any case.
    @Query package var q: String?

    package init(cursor: String? = nil, limit: Int? = nil, tag: String? = nil, q: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.tag = tag
        self.q = q
    }
}
