public import FoundationEssentials

/// One write of an entity, as the server recorded it.
public struct EntityChange: Codable, Sendable, Hashable {
    /// What a write did.
    public enum Operation: String, Codable, Sendable, CaseIterable {
        /// It was made.
        case create
        /// It got other values.
        case update
        /// It was deleted.
        case delete
        /// The last write from before the server recorded changes.
        case earlier
    }

    /// What was done.
    public var operation: Operation
    /// The version that the entity got by it.
    public var version: Int
    /// When, by the clock of the server.
    public var at: Date
    /// The name, at that time, of the user or host that wrote. `nil` where the server did not record it.
    public var author: String?
    /// The fields that got another value by an update, by name on the wire; empty for other operations.
    public var fields: [String]

    /// A recorded write.
    public init(_ operation: Operation, version: Int, at: Date, author: String?, fields: [String] = []) {
        (self.operation, self.version, self.at) = (operation, version, at)
        (self.author, self.fields) = (author, fields)
    }
}

/// `GET /v1/notes/{id}/changes?cursor&limit`: the changes of an entity that records them (`Entity.recordsChanges`), newest first.
///
/// The changes of a deleted entity that was everyone's are there as long as its deletion is synchronised, 90 days. 404 for an entity that
/// the caller does not see; 422 for a limit out of range.
public struct ListChanges<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Content.path)/{id}/changes") }
    public typealias Response = CursorPage<EntityChange>
    public static var documentation: EndpointDocumentation {
        EndpointDocumentation(
            "List changes of \(Content.noun)",
            details: "Who wrote it and when, newest first, in pages. The values that it had are not stored.",
            schemas: ["limit": .integer(1...200, default: 50)], problems: [400: ["invalid_cursor"]])
    }

    /// The entity that was changed.
    @Path public var id: Identifier<Content>
    /// Where the page begins, from the page before; `nil` for the first.
    @Query public var cursor: String?
    /// Changes in a page, 1 to 200. Default 50.
    @Query public var limit: Int?

    /// A page of the changes of the entity with this id.
    public init(id: Identifier<Content>, cursor: String? = nil, limit: Int? = nil) {
        (self.id, self.cursor, self.limit) = (id, cursor, limit)
    }
}
