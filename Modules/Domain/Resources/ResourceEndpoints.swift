/// `GET /v1/badges`: all rows, of a list that is short by nature.
public struct ListResources<Item: Resource>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Item.path)") }
    public typealias Response = ListPayload<Item>
    public static var documentation: EndpointDocumentation { EndpointDocumentation("List \(Item.plural)") }

    /// The whole list.
    public init() {}
}

/// `{"items": […]}`
public struct ListPayload<Item: Codable & Sendable>: Codable, Sendable {
    /// All rows.
    public var items: [Item]
    /// A list of these rows.
    public init(items: [Item]) { self.items = items }
}

/// `GET /v1/badges/{id}`.
public struct GetResource<Item: Resource>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Item.path)/{id}") }
    public typealias Response = Item
    public static var documentation: EndpointDocumentation { EndpointDocumentation("Get \(Item.noun)") }

    /// The resource that is asked for.
    @Path public var id: Identifier<Item>

    /// Asks for the resource with this id.
    public init(id: Identifier<Item>) { self.id = id }
}

/// `DELETE /v1/badges/{id}`.
public struct DeleteResource<Item: Resource>: RoutedEndpoint {
    public static var route: Route { .delete("/v1/\(Item.path)/{id}") }
    public typealias Response = NoContent
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation("Delete \(Item.noun)", problems: Item.deletionProblems)
    }

    /// The resource that is deleted.
    @Path public var id: Identifier<Item>

    /// Deletes the resource with this id.
    public init(id: Identifier<Item>) { self.id = id }
}
