public import FoundationEssentials

/// `GET /v1/sync/snapshot`: every live row up to one version, streamed; the fast way to start.
///
/// The answer is `application/x-ndjson`, one `SnapshotLine` a line, in the order of collection and id. It is streamed, so
/// there is no value to decode. An answer without its last line, the cursor, is not complete: go on from the last page
/// mark. Errors before the first line: 409 `epoch_changed` and `scope_changed` and 410 `cursor_expired` for a page mark
/// that has become useless, 400 for one of another request or server, or a parameter out of range.
public struct FetchSnapshot: RoutedEndpoint {
    public static let route = Route.get("/v1/sync/snapshot")
    public static let successStatus = 200
    public typealias Response = NoContent

    /// Names of the wanted collections, joined by commas. Default: all. The cursor at the end is good for these.
    @Query public var collections: String?
    /// A page mark of an answer that was interrupted; the rows behind it follow. Default: from the beginning.
    @Query public var page: String?
    /// Rows between two page marks, 1 to 10000. Default 1000.
    @Query public var limit: Int?
    /// Only the rows of this bucket, 0 to 255, as `RowHash` says; then the last line has no cursor. Default: all.
    @Query public var bucket: Int?

    public init(collections: String? = nil, page: String? = nil, limit: Int? = nil, bucket: Int? = nil) {
        self.collections = collections
        self.page = page
        self.limit = limit
        self.bucket = bucket
    }
}

/// One line of a snapshot.
///
/// A row begins with a bracket, to be short and cheap to read: `["notes","id",12,1767225600000,{"text":"…"}]`, collection,
/// id, version, time of the write in milliseconds since 1970, and the row as `SyncChange.data` has it. The others begin
/// with a brace: `{"page":"…"}`, `{"cursor":"…","up_to":40,"rows":1000}`.
public enum SnapshotLine: Sendable, Hashable {
    /// A live row.
    case row(SyncChange)
    /// Everything before this line can be stored; an interrupted reader goes on from here.
    case page(String)
    /// The end: pull from `cursor`. Rows that no line brought are gone, but for those with writes of our own.
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

/// What the last line of a snapshot says.
public struct SnapshotEnd: Codable, Sendable, Hashable {
    /// What changed since; `nil` for a single bucket.
    public var cursor: String?
    /// The snapshot shows the data up to this version; rows that changed meanwhile are left to the cursor.
    public var upTo: Int
    /// Rows in this answer, without those before its page mark.
    public var rows: Int

    public init(cursor: String?, upTo: Int, rows: Int) {
        self.cursor = cursor
        self.upTo = upTo
        self.rows = rows
    }
}

/// A page mark, or another line that begins with a brace.
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
