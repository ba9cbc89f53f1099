/// A REST resource: four closures, with calls or endpoints of your own.
///
/// ```swift
/// let remote = CRUDRemote<Note>(
///     list: { try await $0.get("/notes") },
///     create: { note, client in try await client.post("/notes", body: note) },
///     update: { id, note, client in try await client.put("/notes/{id}", ["id": id], body: note) },
///     delete: { id, client in try await client.delete("/notes/{id}", ["id": id]) })
/// ```
///
/// The closures get a client that adds what the abilities ask for (`If-Match`, the idempotency key, no answer from a cache) and reads the `ETag` and
/// the `Date` of the response. Send one request for a write, with this client.
public struct CRUDRemote<Content: Entity>: RemoteCollection {
    /// The whole list, or one page of it.
    public typealias List = @Sendable (PullPoint, any APIClient) async throws -> RemoteList<Content>
    /// The whole list.
    public typealias ListAll = @Sendable (any APIClient) async throws -> [Remote<Content>]
    /// The new row, with its id.
    public typealias Create = @Sendable (Content, any APIClient) async throws -> Remote<Content>
    /// The new row, made under the id that the sender chose; `nil` when the response has no row.
    public typealias CreateWithID = @Sendable (RemoteID, Content, any APIClient) async throws -> Remote<Content>?
    /// The row after the update; `nil` when the response has no row.
    public typealias Update = @Sendable (RemoteID, Content, any APIClient) async throws -> Remote<Content>?
    /// The same with the edited fields only, keys as on the wire; `null` removes one.
    public typealias UpdateFields =
        @Sendable (RemoteID, [String: JSONValue], any APIClient) async throws -> Remote<
            Content
        >?
    /// Deletes the row with this id.
    public typealias Delete = @Sendable (RemoteID, any APIClient) async throws -> Void
    /// The row with an id. It throws the client's `.notFound` when there is none.
    public typealias Get = @Sendable (RemoteID, any APIClient) async throws -> Remote<Content>

    public let abilities: RemoteAbilities
    public let references: [String: String]
    let names: RowNames
    let list: List
    let create: CreateWithID
    var update: Update
    var updateFields: UpdateFields?
    let delete: Delete
    let get: Get?

    /// The members of a row that are not content.
    struct RowNames: Sendable {
        var id: String
        var revision: String?
    }

    /// A resource whose list has pages, or is asked for changes.
    ///
    /// - Parameters:
    ///   - get: Reads one row. With it the engine can look before it writes and confirm a deletion with one small request.
    ///   - id: The member with the id. Default: `id`.
    ///   - revision: A member that changes with the row, such as `updated_at` or `version`. Default: `nil`, the fields are compared.
    ///   - references: As `RemoteCollection.references`; not needed for those that the entity states.
    ///   - abilities: Default: those of an API of which nothing is known.
    public init(
        pages list: @escaping List, create: @escaping Create, update: @escaping Update, delete: @escaping Delete,
        get: Get? = nil, id: String = "id", revision: String? = nil, references: [String: String] = [:],
        abilities: RemoteAbilities = RemoteAbilities()
    ) {
        var abilities = abilities
        if get != nil { abilities.findsByID = true }
        self.abilities = abilities
        self.references = references
        names = RowNames(id: id, revision: revision)
        self.list = list
        self.create = { _, content, client in try await create(content, client) }
        self.update = update
        self.delete = delete
        self.get = get
    }

    /// A resource whose list is one response, or read to its end by `list`. The parameters are those of `init(pages:…)`.
    public init(
        list: @escaping ListAll, create: @escaping Create, update: @escaping Update, delete: @escaping Delete,
        get: Get? = nil, id: String = "id", revision: String? = nil, references: [String: String] = [:],
        abilities: RemoteAbilities = RemoteAbilities()
    ) {
        self.init(
            pages: { _, client in RemoteList(try await list(client)) }, create: create, update: update, delete: delete,
            get: get, id: id, revision: revision, references: references, abilities: abilities)
    }

    /// A resource with endpoints: `CRUDRemote(list: ListNotes(), create: CreateNote.init, update: UpdateNote.init, delete: DeleteNote.init)`.
    public init<L: Endpoint, C: Endpoint, U: Endpoint, D: Endpoint>(
        list: L, create: @escaping @Sendable (Content) -> C, update: @escaping @Sendable (RemoteID, Content) -> U,
        delete: @escaping @Sendable (RemoteID) -> D, id: String = "id", revision: String? = nil,
        references: [String: String] = [:], abilities: RemoteAbilities = RemoteAbilities()
    )
    where
        L.Response == [Remote<Content>], C.Response == Remote<Content>, U.Response == Remote<Content>,
        L: Sendable
    {
        self.init(
            list: { try await $0.send(list) }, create: { try await $1.send(create($0)) },
            update: { try await $2.send(update($0, $1)) }, delete: { _ = try await $1.send(delete($0)) }, id: id,
            revision: revision, references: references, abilities: abilities)
    }

    /// A resource whose rows have ids of the sender: one `put` makes and replaces a row.
    ///
    /// The abilities must have `ids: .client`. The other parameters are those of `init(pages:…)`.
    public init(
        list: @escaping ListAll, put: @escaping Update, delete: @escaping Delete, get: Get? = nil, id: String = "id",
        revision: String? = nil, references: [String: String] = [:],
        abilities: RemoteAbilities = RemoteAbilities(ids: .client, repeats: .natural)
    ) {
        var abilities = abilities
        if get != nil { abilities.findsByID = true }
        self.abilities = abilities
        self.references = references
        names = RowNames(id: id, revision: revision)
        self.list = { _, client in RemoteList(try await list(client)) }
        create = put
        update = put
        self.delete = delete
        self.get = get
    }

    /// The same resource, with updates that send the edited fields only: a PATCH leaves fields alone that another client changed.
    public func patching(_ update: @escaping UpdateFields) -> Self {
        var remote = self
        remote.updateFields = update
        return remote
    }
}
