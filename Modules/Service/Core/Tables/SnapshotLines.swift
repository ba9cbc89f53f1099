/// The row lines of a piece of a snapshot, as `SnapshotLine` describes them.
public struct SnapshotLines: Sendable {
    var text = JSONText()
    /// Rows so far.
    public private(set) var count = 0
    /// Id of the last row; `nil` before the first.
    public private(set) var last: String?
    private let collection: String

    /// - Parameter collection: Name on the wire.
    public init(of collection: String) { self.collection = collection }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - milliseconds: Time of the write, since 1970.
    ///   - data: Writes the row as one JSON object.
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

/// Which piece of a snapshot is wanted.
public struct SnapshotPiece: Sendable, Hashable {
    /// The rows with ids behind this one, by id; `nil` from the first.
    public var after: String?
    /// Rows of later versions are left out.
    public var upTo: Int
    /// Most rows.
    public var limit: Int
    /// Bytes of lines after which the piece ends, also with fewer rows. A collection that reads all of them
    /// nevertheless costs memory, nothing else.
    public var bytes: Int
}
