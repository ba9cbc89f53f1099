package import FoundationEssentials
package import JournalDomain
package import StrataDomain

/// `GET /v1/journal/entries`: newest first, in pages.
package struct ListJournalEntries: RoutedEndpoint {
    package static let route = Route.get("/v1/journal/entries")
    package typealias Response = CursorPage<JournalEntryPayload>

    @Query package var cursor: String?
    /// Entries in a page, 1 to 500. Default 50.
    @Query package var limit: Int?
    @Query package var since: Date?
    @Query package var host: String?
    @Query package var severity: Severity?

    package init(
        cursor: String? = nil, limit: Int? = nil, since: Date? = nil, host: String? = nil, severity: Severity? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.since = since
        self.host = host
        self.severity = severity
    }
}

/// `POST /v1/journal/entries`: one new line; repeatable with `Idempotency-Key`. Machines may call it with a host token.
package struct CreateJournalEntry: RoutedEndpoint {
    package static let route = Route.post("/v1/journal/entries")
    package static let successStatus = 201
    package typealias Response = JournalEntryPayload

    @Body package var draft: JournalDraftPayload

    package init(draft: JournalDraftPayload) { self.draft = draft }
}

/// `GET /v1/journal/entries/{id}`.
package struct GetJournalEntry: RoutedEndpoint {
    package static let route = Route.get("/v1/journal/entries/{id}")
    package typealias Response = JournalEntryPayload

    @Path package var id: JournalEntry.ID

    package init(id: JournalEntry.ID) { self.id = id }
}

/// `PATCH /v1/journal/entries/{id}`: changes the given fields. With `If-Match` only at that version, else 412.
package struct PatchJournalEntry: RoutedEndpoint {
    package static let route = Route.patch("/v1/journal/entries/{id}")
    package typealias Response = JournalEntryPayload

    @Path package var id: JournalEntry.ID
    @Header package var ifMatch: IfMatch?
    @Body package var edit: JournalEditPayload

    package init(id: JournalEntry.ID, ifMatch: EntityTag?, edit: JournalEditPayload) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
        self.edit = edit
    }
}

/// `DELETE /v1/journal/entries/{id}`. With `If-Match` only at that version, else 412.
package struct DeleteJournalEntry: RoutedEndpoint {
    package static let route = Route.delete("/v1/journal/entries/{id}")
    package typealias Response = NoContent

    @Path package var id: JournalEntry.ID
    @Header package var ifMatch: IfMatch?

    package init(id: JournalEntry.ID, ifMatch: EntityTag? = nil) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
    }
}
