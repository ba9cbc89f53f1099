public import FoundationEssentials

/// The state of one row at one version, or its deletion.
public struct SyncChange: Codable, Sendable, Hashable {
    /// What happened to the row.
    public enum Operation: String, Codable, Sendable, Hashable, CaseIterable {
        /// The row is new, or has new values.
        case put
        /// A tombstone: `data` is absent.
        case delete
    }

    /// The name of the collection.
    public var collection: String
    /// The id of the row.
    public var id: String
    /// The server's sequence number of the write: larger is later, over all collections.
    public var version: Int
    /// The server's clock at that write: for display, never for ordering.
    public var updatedAt: Date
    /// What happened to it.
    public var operation: Operation
    /// The row, keys as on the wire.
    public var data: [String: JSONValue]?

    /// A change of a row at a version; its fields are empty for a deletion.
    public init(
        collection: String, id: String, version: Int, updatedAt: Date, operation: Operation,
        data: [String: JSONValue]?
    ) {
        self.collection = collection
        self.id = id
        self.version = version
        self.updatedAt = updatedAt
        self.operation = operation
        self.data = data
    }
}
