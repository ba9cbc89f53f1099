public import FoundationEssentials

/// One local write on its way to the server, named by `id` for ever: however often it is sent, it takes effect once.
public struct Mutation: Codable, Sendable, Hashable, Identifiable {
    public enum Operation: String, Codable, Sendable, Hashable, CaseIterable {
        case create, patch, delete
    }

    /// A UUID (version 7), made where the write was made.
    public var id: String
    /// Position in the order of this client's writes, from 1.
    public var clientSeq: Int
    public var collection: String
    public var entityId: String
    public var operation: Operation
    /// The version the writer saw; `nil` for a create.
    public var baseVersion: Int?
    /// All fields of a create, the touched fields of a patch, none for a delete; keys as on the wire.
    public var fields: [String: JSONValue]
    /// The writer's wall clock: shown, never used for ordering.
    public var at: Date
    /// Mutations of one batch with the same group take effect together or not at all. Default: stands alone.
    public var group: String?
    /// Ids of mutations that must be in effect before this one. Default: none.
    public var dependsOn: [String]?

    public init(
        id: String, clientSeq: Int, collection: String, entityId: String, operation: Operation, baseVersion: Int?,
        fields: [String: JSONValue], at: Date, group: String? = nil, dependsOn: [String]? = nil
    ) {
        self.id = id
        self.clientSeq = clientSeq
        self.collection = collection
        self.entityId = entityId
        self.operation = operation
        self.baseVersion = baseVersion
        self.fields = fields
        self.at = at
        self.group = group
        self.dependsOn = dependsOn
    }
}

/// What became of a mutation; the server stores it with the effect and repeats it word for word.
///
/// Not stored, so that the same mutation may be sent again, are `deferred`, errors of status 500 and more, and the
/// refusals that a newer server would lift: `SyncCode.unknownCollection` and `.unknownField`.
public struct MutationResult: Codable, Sendable, Hashable, Identifiable {
    public enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        /// In effect; `version` is the row's version after it.
        case applied
        /// The row changed since `baseVersion`; `current` is the row as it is now.
        case conflict
        /// Will never be accepted as it stands; `error` says why.
        case rejected
        /// Not tried, because something it builds on is not in effect; send it again later under the same id. `error`
        /// says what it waits for.
        case deferred
    }

    public var id: String
    public var status: Status
    public var version: Int?
    public var current: SyncChange?
    public var error: Problem?

    public init(
        id: String, status: Status, version: Int? = nil, current: SyncChange? = nil, error: Problem? = nil
    ) {
        self.id = id
        self.status = status
        self.version = version
        self.current = current
        self.error = error
    }
}
