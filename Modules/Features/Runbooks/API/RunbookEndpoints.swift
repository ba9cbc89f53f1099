package import RunbooksDomain
package import StrataDomain

/// `GET /v1/runbooks`: by title, in pages.
package struct ListRunbooks: RoutedEndpoint {
    package static let route = Route.get("/v1/runbooks")
    package typealias Response = CursorPage<RunbookPayload>

    @Query package var cursor: String?
    /// Runbooks in a page, 1 to 200. Default 50.
    @Query package var limit: Int?
    @Query package var tag: String?
    /// Text in title or body.
    @Query package var q: String?

    package init(cursor: String? = nil, limit: Int? = nil, tag: String? = nil, q: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.tag = tag
        self.q = q
    }
}

/// `POST /v1/runbooks`: repeatable with `Idempotency-Key`.
package struct CreateRunbook: RoutedEndpoint {
    package static let route = Route.post("/v1/runbooks")
    package static let successStatus = 201
    package typealias Response = RunbookPayload

    @Body package var draft: RunbookDraftPayload

    package init(draft: RunbookDraftPayload) { self.draft = draft }
}

/// `GET /v1/runbooks/{id}`.
package struct GetRunbook: RoutedEndpoint {
    package static let route = Route.get("/v1/runbooks/{id}")
    package typealias Response = RunbookPayload

    @Path package var id: Runbook.ID

    package init(id: Runbook.ID) { self.id = id }
}

/// `PUT /v1/runbooks/{id}`: requires `If-Match` (428) with the current version (412).
package struct UpdateRunbook: RoutedEndpoint {
    package static let route = Route.put("/v1/runbooks/{id}")
    package typealias Response = RunbookPayload

    @Path package var id: Runbook.ID
    @Header package var ifMatch: IfMatch?
    @Body package var draft: RunbookDraftPayload

    package init(id: Runbook.ID, ifMatch: EntityTag, draft: RunbookDraftPayload) {
        self.id = id
        self.ifMatch = IfMatch(ifMatch)
        self.draft = draft
    }
}

/// `DELETE /v1/runbooks/{id}`: requires `If-Match` (428) with the current version (412).
package struct DeleteRunbook: RoutedEndpoint {
    package static let route = Route.delete("/v1/runbooks/{id}")
    package typealias Response = NoContent

    @Path package var id: Runbook.ID
    @Header package var ifMatch: IfMatch?

    package init(id: Runbook.ID, ifMatch: EntityTag) {
        self.id = id
        self.ifMatch = IfMatch(ifMatch)
    }
}
