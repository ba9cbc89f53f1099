public import FoundationEssentials

/// The state of one row at one version, or its deletion.
public struct SyncChange: Codable, Sendable, Hashable {
    public enum Operation: String, Codable, Sendable, Hashable, CaseIterable {
        case put
        /// A tombstone: `data` is absent.
        case delete
    }

    public var collection: String
    public var id: String
    /// The server's sequence number of the write: larger is later, over all collections.
    public var version: Int
    /// The server's clock at that write: for display, never for ordering.
    public var updatedAt: Date
    public var operation: Operation
    /// The row, keys as on the wire.
    public var data: [String: JSONValue]?

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
