/// One write for the server. All ids in it are those of the server.
public struct RemoteWrite: Sendable, Hashable, Identifiable {
    /// What is written.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// A new row, new values of a row, or the removal of one.
        case create, update, delete
    }

    /// The idempotency key: the same whenever this write is sent, also after a restart, and never used for another write.
    public var id: String
    /// What is written.
    public var operation: Operation
    /// `nil` for a create, unless the sender chooses ids.
    public var remoteID: RemoteID?
    /// The whole row after the write; empty for a delete.
    public var fields: [String: JSONValue]
    /// The fields that an update changes; `null` removes one. Empty for other writes.
    public var changes: [String: JSONValue]
    /// What to send as `If-Match`; `nil` for no precondition. Under an idempotency key, each try of a write has the same.
    public var entityTag: String?
    /// Whether this write may have taken effect already.
    public var isRepeat: Bool

    /// A write for the server.
    public init(
        id: String, operation: Operation, remoteID: RemoteID?, fields: [String: JSONValue] = [:],
        changes: [String: JSONValue] = [:], entityTag: String? = nil, isRepeat: Bool = false
    ) {
        self.id = id
        self.operation = operation
        self.remoteID = remoteID
        self.fields = fields
        self.changes = changes
        self.entityTag = entityTag
        self.isRepeat = isRepeat
    }
}

/// The result of a write.
public enum PushOutcome: Sendable, Hashable {
    /// It took effect; this is the row now.
    case stored(RemoteRow)
    /// It took effect, and the response has no row: a delete, or an update that is answered with 204.
    ///
    /// A create must have the id of the row, or it counts as `unknown`.
    case accepted(RemoteID? = nil)
    /// The row changed since it was read; `nil` when the response does not have it: the engine reads it.
    case conflict(RemoteRow?)
    /// The row is deleted.
    case gone
    /// It cannot be told. The engine looks for the effect before it sends the write again.
    case unknown
}
