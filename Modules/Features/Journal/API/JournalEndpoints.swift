package import FoundationEssentials
package import JournalDomain
package import StrataDomain

// `GET` and `DELETE /v1/journal/entries/{id}` are `GetEntity` and `DeleteEntity`; the latter goes without `If-Match` here.

/// `GET /v1/journal/entries`: newest first, in pages.
package struct ListJournalEntries: RoutedEndpoint {
    package static let route = Route.get("/v1/journal/entries")
    package typealias Response = CursorPage<Stored<JournalEntry>>
    package static let documentation = EndpointDocumentation(
        details: "Newest first, in pages.",
        schemas: ["limit": .integer(1...500, default: 50), "q": .searchText],
        problems: [400: ["invalid_cursor"]])

    @Query package var cursor: String?
    /// Entries in a page, 1 to 500. Default 50.
    @Query package var limit: Int?
    @Query package var since: Date?
    /// A part of the text, `A` to `Z` as `a` to `z`.
    @Query package var q: String?
    @FieldFilters<JournalEntry> package var filters: [String: JSONValue]

    package init(
        cursor: String? = nil, limit: Int? = nil, since: Date? = nil, q: String? = nil,
        filters: [String: JSONValue] = [:]
    ) {
        self.cursor = cursor
        self.limit = limit
        self.since = since
        self.q = q
        self.filters = filters
    }
}

/// `POST /v1/journal/entries`: one new line; repeatable with `Idempotency-Key`. Machines may call it with a host token.
package struct CreateJournalEntry: RoutedEndpoint {
    package static let route = Route.post("/v1/journal/entries")
    package static let successStatus = 201
    package typealias Response = Stored<JournalEntry>
    package static let documentation = EndpointDocumentation(
        details:
            "Also with the key of a host, which is then the only valid `host`. An `id` makes the create repeatable.",
        schemas: ["body": newEntry], problems: [409: ["id_taken"]])
    private static var newEntry: JSONSchema {
        var schema = JournalEntry.changesSchema
        schema.properties["id"] = .text(1...128, pattern: "^[!-~]+$")
        // `null` is read as a field that is not there.
        for (name, field) in schema.properties where name != "text" && name != "runbook_id" {
            schema.properties[name] = field.orNull
        }
        schema.required = ["text"]
        return schema
    }

    /// The fields of an entry, and its id where the sender chooses it to make the create repeatable. Defaults: `severity` `info`,
    /// `occurred_at` the time of arrival, and with a host token `host` its host, which is the only one that is accepted.
    @Body package var fields: [String: JSONValue]

    package init(_ fields: [String: JSONValue]) { self.fields = fields }
}

/// `PATCH /v1/journal/entries/{id}`: changes the given fields. With `If-Match` only at that version, else 412.
package struct PatchJournalEntry: RoutedEndpoint {
    package static let route = Route.patch("/v1/journal/entries/{id}")
    package typealias Response = Stored<JournalEntry>
    package static let documentation = EndpointDocumentation(
        details: "Changes the given fields. With `If-Match` only at that version.",
        schemas: ["body": JournalEntry.changesSchema])

    @Path package var id: JournalEntry.ID
    @Header package var ifMatch: IfMatch?
    /// An absent field stays as it is.
    @Body package var changes: [String: JSONValue]

    package init(id: JournalEntry.ID, ifMatch: EntityTag? = nil, _ changes: [String: JSONValue]) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
        self.changes = changes
    }
}
