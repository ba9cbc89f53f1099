public import FoundationEssentials

/// A row in a response of an API: the id, the content, and what else the object says.
///
/// It decodes from one JSON object with the members of `Content` and more, such as `id` and `updated_at`. For rows in another shape, make it with
/// `init(id:_:)`.
public struct Remote<Content: Entity>: Decodable, Sendable {
    /// `nil` when decoded: `CRUDRemote` reads it from the members.
    public var id: RemoteID?
    /// `nil` for an object that is no `Content`: a tombstone, or a row that this version of the program cannot read.
    public var content: Content?
    /// What tells this state from others, if the API has such a member.
    public var revision: String?
    /// The tag of this state, `ETag`, if the API sends one.
    public var entityTag: String?
    /// When it was changed, by the clock of the server; `nil` when the API does not say.
    public var modifiedAt: Date?
    /// The members of the object as the server wrote them.
    public var members: [String: JSONValue]

    /// A row of an API, with what it says about its state.
    public init(
        id: RemoteID, _ content: Content, revision: String? = nil, entityTag: String? = nil, modifiedAt: Date? = nil
    ) {
        self.id = id
        self.content = content
        self.revision = revision
        self.entityTag = entityTag
        self.modifiedAt = modifiedAt
        members = [:]
    }

    public init(from decoder: any Decoder) throws {
        // A dictionary, not a keyed container: its names are data.
        members = try decoder.singleValueContainer().decode([String: JSONValue].self)
        // One bad row must not stop the list; the engine keeps it and does not show it.
        content = (try? Content(from: decoder)) ?? Self.content(naming: members)
    }

    /// The content of a row that names others by numbers, where the entity has the texts of ids.
    private static func content(naming members: [String: JSONValue]) -> Content? {
        var fields = members
        let naming = Content.fields.filter { $0.reference != nil && members[$0.name]?.string == nil }
        for field in naming { fields[field.name] = RemoteID(members[field.name]).map { .string($0.rawValue) } }
        return fields == members ? nil : try? Content(wireFields: fields)
    }
}

/// A page of a list, for `CRUDRemote`.
public struct RemoteList<Content: Entity>: Sendable {
    /// The rows of the page.
    public var rows: [Remote<Content>]
    /// The ids of rows that are gone.
    public var deleted: [RemoteID]
    /// What `PullPoint.page` is for the next page; `nil` for the last.
    public var next: String?
    /// The cursor for `RemoteAbilities.Deltas.cursor`.
    public var checkpoint: String?

    /// A page of rows; the last one unless it names another.
    public init(
        _ rows: [Remote<Content>], deleted: [RemoteID] = [], next: String? = nil, checkpoint: String? = nil
    ) {
        self.rows = rows
        self.deleted = deleted
        self.next = next
        self.checkpoint = checkpoint
    }
}
