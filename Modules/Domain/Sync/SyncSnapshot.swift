public import FoundationEssentials

/// `GET /v1/sync/snapshot`: every live row up to one version, streamed, for the bootstrap of a client.
///
/// The response is `application/x-ndjson`, one `SnapshotLine` a line, in the order of collection and id. It has
/// no value to decode. A response without its last line, the cursor, is incomplete: continue from the last page
/// mark. Errors before the first line: 409 `epoch_changed` and `scope_changed` and 410 `cursor_expired` for a page mark
/// that is no longer valid, 400 for one of another request or server and for a parameter out of range.
public struct FetchSnapshot: RoutedEndpoint {
    public static let route = Route.get("/v1/sync/snapshot")
    public static let successStatus = 200
    public typealias Response = NoContent
    public static let documentation = EndpointDocumentation(
        details: """
            Every live row up to one version, as a stream of lines. A row is an array of collection, id, version, milliseconds since \
            1970 and the row; `{"page": …}` is a mark to continue from, and the last line has `cursor`, `up_to` and `rows`. A response \
            without the last line is incomplete.
            """,
        schemas: [
            "page": .syncCursor, "limit": .integer(1...10_000, default: 1000), "bucket": .integer(0...255),
            "collections": .collectionNames,
        ],
        problems: SyncCode.problems)

    /// Names of the wanted collections, joined by commas. Default: all. The cursor at the end is valid for these.
    @Query public var collections: String?
    /// A page mark of an interrupted response; the rows after it follow. Default: from the beginning.
    @Query public var page: String?
    /// Rows between two page marks, 1 to 10000. Default 1000.
    @Query public var limit: Int?
    /// Only the rows of this bucket of `RowHash`, 0 to 255; then the last line has no cursor. Default: all.
    @Query public var bucket: Int?

    /// Asks for the rows of some collections, of a page, or of a bucket; by default for the first page of all.
    public init(collections: String? = nil, page: String? = nil, limit: Int? = nil, bucket: Int? = nil) {
        self.collections = collections
        self.page = page
        self.limit = limit
        self.bucket = bucket
    }
}

/// One line of a snapshot.
///
/// A row is an array: `["notes","id",12,1767225600000,{"text":"…"}]`, collection,
/// id, version, time of the write in milliseconds since 1970, and the row as in `SyncChange.data`. The other lines are
/// objects: `{"page":"…"}`, `{"cursor":"…","up_to":40,"rows":1000}`.
public enum SnapshotLine: Sendable, Hashable {
    /// A live row.
    case row(SyncChange)
    /// A page mark: the rows before it can be stored, and an interrupted reader continues from it.
    case page(String)
    /// The end: pull from `cursor`. Local rows that are in no line are deleted, except rows with local writes.
    case end(SnapshotEnd)

    /// Reads a line, with or without its line feed.
    ///
    /// - Throws: `WireJSON.Failure` for anything else.
    public init(_ line: Data) throws(WireJSON.Failure) {
        if line.first == UInt8(ascii: "[") {
            self = .row(try WireJSON.decode(SnapshotRow.self, from: line).change)
        } else if let page = try WireJSON.decode(SnapshotMark.self, from: line).page {
            self = .page(page)
        } else {
            self = .end(try WireJSON.decode(SnapshotEnd.self, from: line))
        }
    }
}

/// The last line of a snapshot.
public struct SnapshotEnd: Codable, Sendable, Hashable {
    /// The cursor for the changes after the snapshot; `nil` for a single bucket.
    public var cursor: String?
    /// The version of the snapshot; rows that changed during the response come with the cursor.
    public var upTo: Int
    /// Rows in this response, without those before its page mark.
    public var rows: Int

    /// The last line of a snapshot: how many rows there were, and where to go on.
    public init(cursor: String?, upTo: Int, rows: Int) {
        self.cursor = cursor
        self.upTo = upTo
        self.rows = rows
    }
}

/// A page mark, or another line that is an object.
private struct SnapshotMark: Decodable {
    var page: String?
}

/// A row line.
private struct SnapshotRow: Decodable {
    let change: SyncChange

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        let collection = try values.decode(String.self)
        let id = try values.decode(String.self)
        let version = try values.decode(Int.self)
        let milliseconds = try values.decode(Int.self)
        change = SyncChange(
            collection: collection, id: id, version: version,
            updatedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000), operation: .put,
            data: try values.decode([String: JSONValue].self))
    }
}
