/// `GET /v1/notes?limit&cursor&FIELD=VALUE&q=TEXT&sort=FIELD|-FIELD`: a list in pages, newest first unless sorted.
///
/// 400 with the name of an unknown filter, of one with a value of another type, and of a field without order; 422 with the name of
/// a filter whose value breaks the rule of its field. A cursor is valid for its filters, search and order only (400).
///
/// A page has a strong `ETag`, a hash of its bytes; with `If-None-Match` an unchanged one is 304.
public struct ListEntities<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Content.path)") }
    public typealias Response = CursorPage<Stored<Content>>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "List \(Content.plural)",
            details:
                "In pages, \(EntityQuery<Content>.standardOrder). A cursor is valid for its filters, search and order only.",
            problems: [400: ["invalid_cursor"]])
    }

    /// Where the page begins, from the page before; `nil` for the first.
    @Query public var cursor: String?
    /// Its limit is the number of entities in a page, 1 to `Entity.largestPage`. Default 50.
    @ListQuery public var query: EntityQuery<Content>

    /// The page of `query` that begins at `cursor`.
    public init(_ query: EntityQuery<Content> = EntityQuery(), cursor: String? = nil) {
        self.cursor = cursor
        self.query = query
    }

    /// A page of the whole list.
    public init(cursor: String? = nil, limit: Int?) { self.init(EntityQuery(limit: limit), cursor: cursor) }
}

/// `POST /v1/notes`: repeatable with `Idempotency-Key`.
public struct CreateEntity<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .post("/v1/\(Content.path)") }
    public static var successStatus: Int { 201 }
    public typealias Response = Stored<Content>
    public static var documentation: EndpointDocumentation {
        let taken = Content.acceptsIDs ? ["id_taken"] : []
        let conflicts = taken.isEmpty ? Content.uniqueProblems : [409: taken + (Content.uniqueProblems[409] ?? [])]
        return EndpointDocumentation(
            "Create \(Content.noun)", details: Content.acceptsIDs ? "An `id` makes the create repeatable." : nil,
            problems: Content.ownership == .space
                ? conflicts.merging([403: [SyncCode.notAMember]]) { own, _ in own } : conflicts)
    }

    /// The new entity.
    @Body public var draft: EntityDraft<Content>

    /// Creates `content`; without an id the server makes one.
    public init(_ content: Content, id: Identifier<Content>? = nil) {
        draft = EntityDraft(content.fieldValues, id: id)
    }

    /// - Parameter fields: Those that are left out get the values that the server gives to new entities.
    public init(fields: [String: JSONValue], id: Identifier<Content>? = nil) {
        draft = EntityDraft(fields, id: id)
    }
}

/// `GET /v1/notes/{id}`.
public struct GetEntity<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Content.path)/{id}") }
    public typealias Response = Stored<Content>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation("Get \(Content.noun)")
    }

    /// The entity that is asked for.
    @Path public var id: Identifier<Content>

    /// Asks for the entity with this id.
    public init(id: Identifier<Content>) { self.id = id }
}

/// `PUT /v1/notes/{id}`: needs `If-Match` (428) with the current version (412).
public struct UpdateEntity<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .put("/v1/\(Content.path)/{id}") }
    public typealias Response = Stored<Content>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "Update \(Content.noun)",
            problems: Content.uniqueProblems.merging(Content.versionProblems) { own, _ in own })
    }

    /// The entity that is replaced.
    @Path public var id: Identifier<Content>
    /// The state that is replaced, as a tag.
    @Header public var ifMatch: IfMatch?
    /// The new content.
    @Body public var content: Content

    /// Replaces the entity with this id by `content`.
    public init(id: Identifier<Content>, ifMatch: EntityTag?, to content: Content) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
        self.content = content
    }
}

/// `PATCH /v1/notes/{id}`: changes some fields, by name on the wire; `null` takes a value away. Needs `If-Match` as an update.
public struct PatchEntity<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .patch("/v1/\(Content.path)/{id}") }
    public typealias Response = Stored<Content>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "Change \(Content.noun)", details: "Changes the given fields; `null` takes a value away.",
            schemas: ["body": Content.changesSchema],
            problems: Content.uniqueProblems.merging(Content.versionProblems) { own, _ in own })
    }

    /// The entity that is changed.
    @Path public var id: Identifier<Content>
    /// The state that is changed, as a tag.
    @Header public var ifMatch: IfMatch?
    /// The fields that are changed, by name; `null` takes a value away.
    @Body public var changes: [String: JSONValue]

    /// Changes some fields of the entity with this id.
    public init(id: Identifier<Content>, ifMatch: EntityTag?, _ changes: [String: JSONValue]) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
        self.changes = changes
    }
}

/// `DELETE /v1/notes/{id}`: needs `If-Match` (428) with the current version (412).
public struct DeleteEntity<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .delete("/v1/\(Content.path)/{id}") }
    public typealias Response = NoContent
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation("Delete \(Content.noun)", problems: Content.versionProblems)
    }

    /// The entity that is deleted.
    @Path public var id: Identifier<Content>
    /// The state that is deleted, as a tag.
    @Header public var ifMatch: IfMatch?

    /// Deletes the entity with this id.
    public init(id: Identifier<Content>, ifMatch: EntityTag?) {
        self.id = id
        self.ifMatch = ifMatch.map(IfMatch.init)
    }
}

extension Entity {
    /// The failure of a change without `If-Match`.
    fileprivate static var versionProblems: [Int: [String]] {
        changesNeedVersion ? [428: ["if_match_required"]] : [:]
    }

    /// The failure of a value that another entity has.
    fileprivate static var uniqueProblems: [Int: [String]] {
        fields.contains(where: \.isUnique) ? [409: ["not_unique"]] : [:]
    }
}
