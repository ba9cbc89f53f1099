/// `GET /v1/sync/changes`: the changes after a cursor, oldest first. Without a cursor: every live row.
///
/// Errors: 409 `epoch_changed` when the server's data was replaced or restored from a backup, 409 `scope_changed` when the
/// cursor belongs to another user, to other collections or to rows of another form, 410 `cursor_expired` when it is
/// older than the stored tombstones; after these three start without a cursor. 400 `invalid_cursor` for a cursor that the
/// server did not write. Parameters out of range are 400 with the field.
///
/// The response has a strong `ETag`; with `If-None-Match` an unchanged one is 304.
public struct PullChanges: RoutedEndpoint {
    public static let route = Route.get("/v1/sync/changes")
    public typealias Response = ChangesPage
    public static let documentation = EndpointDocumentation(
        details:
            "The changes after a cursor, oldest first; without a cursor every live row. `wait` keeps the request open.",
        schemas: [
            "cursor": .syncCursor, "limit": .integer(1...1000, default: 500), "wait": .integer(0...30, default: 0),
            "client_id": .text(1...255, pattern: "^[!-~]+$"), "collections": .collectionNames,
        ],
        problems: SyncCode.problems)

    /// Where the page begins; `nil` for the beginning.
    @Query public var cursor: String?
    /// Rows in a page, 1 to 1000. Default 500.
    @Query public var limit: Int?
    /// Seconds to wait for a change when there is none, 0 to 30. Default 0. An earlier deadline of the request shortens it.
    @Query public var wait: Int?
    /// Names of the wanted collections, joined by commas. Default: all. A cursor is valid for its collections only.
    @Query public var collections: String?
    /// Names the client's store, as in `MutationBatch`; then `acked` of the page is the progress of its writes.
    @Query public var clientId: String?

    /// Asks for the changes behind `cursor`; with `wait` the server answers when there is one.
    public init(
        cursor: String? = nil, limit: Int? = nil, wait: Int? = nil, collections: String? = nil, clientId: String? = nil
    ) {
        self.cursor = cursor
        self.limit = limit
        self.wait = wait
        self.collections = collections
        self.clientId = clientId
    }
}

extension JSONSchema {
    /// A sync cursor or page mark.
    static let syncCursor = text(1...600, pattern: "^[A-Za-z0-9_-]+$")

    /// Names of collections, joined by commas.
    static let collectionNames = text(pattern: "^[^,]{1,100}(,[^,]{1,100})*$")
}

/// A page of changes. All pages of one round show the data up to the same version, `upTo`.
public struct ChangesPage: Codable, Sendable, Hashable {
    /// The changes, in the order of their versions.
    public var changes: [SyncChange]
    /// Opaque; continue with it, at once when `hasMore`, otherwise in the next round.
    public var cursor: String
    /// Whether another page is there already.
    public var hasMore: Bool
    /// Whether this round started without a cursor: then a local row that is in none of its pages is deleted.
    public var isReplacement: Bool
    /// At the end of the round every change up to this version has arrived, also the client's own writes with a version up
    /// to it. `nil` from an older server.
    public var upTo: Int?
    /// The server's newest version; the changes after `upTo` come in the next round.
    public var head: Int?
    /// The largest `clientSeq` of the client's store with a stored result, read in the same snapshot as the rows; 0
    /// for none, `nil` when the request named no store. Queues of different entities run side by side, so a smaller one may still be open.
    public var acked: Int?

    /// A page of changes.
    public init(
        changes: [SyncChange], cursor: String, hasMore: Bool, isReplacement: Bool, upTo: Int? = nil, head: Int? = nil,
        acked: Int? = nil
    ) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
        self.isReplacement = isReplacement
        self.upTo = upTo
        self.head = head
        self.acked = acked
    }
}

extension ChangesPage: EntityTagged {
    /// The cursor has epoch, scope and position, `head` the state of the data: with both equal, the rows are equal.
    public var entityTag: EntityTag {
        var hash = StableHash()
        hash.combine(cursor)
        for number in [head ?? -1, acked ?? -1, upTo ?? -1, changes.count, hasMore ? 1 : 0, isReplacement ? 1 : 0] {
            hash.combine(number)
        }
        return EntityTag(hash.text)
    }
}

/// `POST /v1/sync/mutations`: local writes, in order per entity. Always 200 with one result per mutation, in order.
///
/// Errors: 409 `epoch_changed` when `batch.cursor` is of an epoch before a restored backup, 422 for a batch that is
/// too long. An error of one mutation is in its result.
public struct PushMutations: RoutedEndpoint {
    public static let route = Route.post("/v1/sync/mutations")
    public typealias Response = MutationResults
    public static let documentation = EndpointDocumentation(
        details: "Local writes in order, at most 100. The result of each has its own status.",
        problems: [400: [SyncCode.invalidCursor], 409: [SyncCode.epochChanged]])

    /// The mutations that are sent.
    @Body public var batch: MutationBatch

    /// Sends a batch.
    public init(batch: MutationBatch) { self.batch = batch }
}

/// Up to 100 mutations of one client.
public struct MutationBatch: Codable, Sendable, Hashable {
    /// The most mutations of a batch.
    public static let limit = 100

    /// Names the client's store, a UUID.
    public var clientId: String
    /// The mutations, in the order of the client's writes.
    public var mutations: [Mutation]
    /// The client's cursor. After a restore from a backup the server refuses the whole batch by it, because
    /// the versions of the mutations may mean other rows.
    public var cursor: String?

    /// The mutations of the client `clientId`; `cursor` is what it has read.
    public init(clientId: String, mutations: [Mutation], cursor: String? = nil) {
        self.clientId = clientId
        self.mutations = mutations
        self.cursor = cursor
    }
}

/// The results of a batch, one for each mutation.
public struct MutationResults: Codable, Sendable, Hashable {
    /// The results, in the order of the mutations.
    public var results: [MutationResult]
    /// The results of a batch.
    public init(results: [MutationResult]) { self.results = results }
}

/// The problem codes of `/v1/sync` that a client acts on.
public enum SyncCode {
    /// 409: the server's data was replaced or restored from a backup; start without a cursor.
    public static let epochChanged = "epoch_changed"
    /// 409: the cursor belongs to another user or to other collections; start without a cursor.
    public static let scopeChanged = "scope_changed"
    /// The failures of a cursor or page mark.
    static let problems = [400: [invalidCursor], 409: [epochChanged, scopeChanged], 410: [cursorExpired]]
    /// 410: tombstones after the cursor were removed; start without a cursor.
    public static let cursorExpired = "cursor_expired"
    /// 400: the cursor or page mark is not of this server.
    public static let invalidCursor = "invalid_cursor"
    /// In a result: this server does not know the collection. Not stored: a newer server may accept the mutation.
    public static let unknownCollection = "unknown_collection"
    /// In a result: this server does not know a field. Not stored, as above.
    public static let unknownField = "unknown_field"
    /// In a result: the id was used for another mutation.
    public static let mutationIdReused = "mutation_id_reused"
    /// In a result: the mutation cannot be stored.
    public static let invalidMutation = "invalid_mutation"
    /// In a result: the mutation names a row that was deleted. `errors` has the field.
    public static let referenceDeleted = "reference_deleted"
    /// In a result: the row is in a space that the user is not a member of.
    public static let notAMember = "not_a_member"
    /// In a result with status `deferred`: an earlier write to the row, a dependency or another write of the group was not
    /// accepted. Not stored.
    public static let notYet = "not_yet"
}
