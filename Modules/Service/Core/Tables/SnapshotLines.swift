/// Rows of a snapshot, encoded as lines (`SnapshotLine`).
public struct SnapshotLines: Sendable {
    var text = JSONText()
    /// Rows so far.
    public private(set) var count = 0
    /// Id of the last row; `nil` without rows.
    public private(set) var last: String?
    private let collection: String

    /// - Parameter collection: Name on the wire.
    public init(of collection: String) { self.collection = collection }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - milliseconds: Time of the write, since 1970.
    ///   - data: Appends the row as one JSON object.
    public mutating func add(
        id: String, version: Int, milliseconds: Int, _ data: (inout JSONText) throws -> Void
    ) rethrows {
        text.raw("[")
        text.string(collection)
        text.raw(",")
        text.string(id)
        text.raw(",")
        text.integer(version)
        text.raw(",")
        text.integer(milliseconds)
        text.raw(",")
        try data(&text)
        text.raw("]\n")
        count += 1
        last = id
    }
}

/// The requested rows of a snapshot.
public struct SnapshotRange: Sendable, Hashable {
    /// Rows with larger ids, ordered by id; `nil` starts with the first.
    public var after: String?
    /// Largest version.
    public var upTo: Int
    /// Most rows.
    public var limit: Int
    /// Bytes of lines after which a collection should stop. Exceeding them costs only memory.
    public var bytes: Int
    /// Only rows of these authors, `Principal.key`, or of these spaces; `nil` for all.
    public var owners: [String]?
}
