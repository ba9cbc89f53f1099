/// `GET /v1/sync/changes`: what changed after a cursor, oldest first. Without a cursor: every live row.
///
/// Errors: 409 `epoch_changed` when the server's data was replaced, 410 `cursor_expired` when the cursor is older than
/// the kept tombstones, 400 `invalid_cursor` for anything the server did not write. After the first two start without cursor.
public struct PullChanges: RoutedEndpoint {
    public static let route = Route.get("/v1/sync/changes")
    public typealias Response = ChangesPage

    @Query public var cursor: String?
    /// Rows in a page, 1 to 1000. Default 500.
    @Query public var limit: Int?
    /// Seconds to wait for a change when there is none, 0 to 30. Default 0.
    @Query public var wait: Int?

    public init(cursor: String? = nil, limit: Int? = nil, wait: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.wait = wait
    }
}

/// A page of changes. All pages of one round show the data up to the same point, `upTo`.
public struct ChangesPage: Codable, Sendable, Hashable {
    public var changes: [SyncChange]
    /// Opaque; continue with it, now when `hasMore`, else in the next round.
    public var cursor: String
    public var hasMore: Bool
    /// Whether this round started without a cursor: a row that no page of it brought is gone.
    public var isReplacement: Bool

    public init(changes: [SyncChange], cursor: String, hasMore: Bool, isReplacement: Bool) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
        self.isReplacement = isReplacement
    }
}

/// `POST /v1/sync/mutations`: local writes, in order per entity. Always 200 with one result per mutation, in order.
public struct PushMutations: RoutedEndpoint {
    public static let route = Route.post("/v1/sync/mutations")
    public typealias Response = MutationResults

    @Body public var batch: MutationBatch

    public init(batch: MutationBatch) { self.batch = batch }
}

/// Up to 200 mutations of one client.
public struct MutationBatch: Codable, Sendable, Hashable {
    public static let limit = 200

    /// Names this store of this device, a UUID.
    public var clientId: String
    public var mutations: [Mutation]

    public init(clientId: String, mutations: [Mutation]) {
        self.clientId = clientId
        self.mutations = mutations
    }
}

public struct MutationResults: Codable, Sendable, Hashable {
    public var results: [MutationResult]
    public init(results: [MutationResult]) { self.results = results }
}
