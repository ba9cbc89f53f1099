public import FoundationEssentials

/// One local write for the server. Its `id` never changes: the write takes effect once, however often it is sent.
public struct Mutation: Codable, Sendable, Hashable, Identifiable {
    /// What is written.
    public enum Operation: String, Codable, Sendable, Hashable, CaseIterable {
        /// A new row, edited fields of a row, or the removal of one.
        case create, patch, delete

        /// The write, for a sentence: `the edit`.
        package var phrase: String {
            switch self {
            case .create: "the creation"
            case .patch: "the edit"
            case .delete: "the deletion"
            }
        }
    }

    /// A UUID (version 7), made with the write.
    public var id: String
    /// Position in the order of this client's writes, from 1.
    public var clientSeq: Int
    /// The name of the collection.
    public var collection: String
    /// The id of the row.
    public var entityId: String
    /// What is written.
    public var operation: Operation
    /// The version that the write is based on; `nil` for a create.
    public var baseVersion: Int?
    /// All fields of a create, the edited fields of a patch, none for a delete; keys as on the wire.
    public var fields: [String: JSONValue]
    /// The client's wall clock: for display, never for ordering.
    public var at: Date
    /// Mutations of one batch with the same group take effect together or not at all. Default: no group.
    public var group: String?
    /// Ids of mutations that must take effect before this one. Default: none.
    public var dependsOn: [String]?

    /// A local write; its `id` and `clientSeq` are never used again.
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

/// The result of a mutation. The server stores it with the effect and repeats it unchanged.
///
/// Some results are not stored, so that the same mutation can be sent again: `deferred`, errors of status 500 and more,
/// and refusals that a newer server would lift, `SyncCode.unknownCollection` and `.unknownField`.
public struct MutationResult: Codable, Sendable, Hashable, Identifiable {
    /// What became of the mutation.
    public enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        /// The mutation took effect; `version` is the new version of the row.
        case applied
        /// The row changed since `baseVersion`; `current` is its current state.
        case conflict
        /// The mutation will never be accepted unchanged; `error` says why.
        case rejected
        /// The mutation depends on one without effect. Send it again later under the same id. `error`
        /// names the dependency.
        case deferred
    }

    public var id: String
    /// What became of it.
    public var status: Status
    /// The version of the row, if it took effect.
    public var version: Int?
    /// The row as it is, after a conflict.
    public var current: SyncChange?
    /// Why it was refused or put off.
    public var error: Problem?

    /// The result of the mutation with this id.
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
