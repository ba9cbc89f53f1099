/// `GET /v1/teams/{id}/shifts`: the list of the entities whose field names one `Target`, with the filters and the paging of their list.
///
/// 404 for a `Target` that the caller does not see; 400 for a filter of the field itself, which the path names.
public struct ListReferring<Content: Entity, Target: Entity>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Target.path)/{id}/\(Content.path)") }
    public typealias Response = CursorPage<Stored<Content>>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "List \(Content.plural) of \(Target.noun)",
            details: "The \(Content.plural) whose `\(field?.name ?? "id")` is this \(Target.noun), in pages, "
                + "\(EntityQuery<Content>.standardOrder).",
            problems: [400: ["invalid_cursor"]])
    }

    /// The entity that is referred to.
    @Path public var id: Identifier<Target>
    /// Where the page begins, from the page before; `nil` for the first.
    @Query public var cursor: String?
    /// Without a filter of `field`.
    @ListQuery public var query: EntityQuery<Content>

    /// A page of what refers to `id`.
    public init(
        id: Identifier<Target>, _ query: EntityQuery<Content> = EntityQuery(), cursor: String? = nil
    ) {
        self.id = id
        self.cursor = cursor
        self.query = query
    }

    /// The field that the list is of: the first that refers to a `Target`.
    public static var field: EntityField<Content>? {
        Content.fields.first { $0.reference?.target == Target.self }
    }

    /// The list of `Content` that has the same entities.
    ///
    /// - Throws: 400 for a filter of the field.
    package func listQuery() throws(EndpointError) -> EntityQuery<Content> {
        guard let field = Self.field else { return query }
        guard query.filters[field.name] == nil else {
            throw EndpointError(
                .malformed, in: .query, key: field.filterName, expected: "left out; the path names the \(Target.noun)")
        }
        var query = query
        query.filters[field.name] = .string(id.rawValue)
        return query
    }
}
