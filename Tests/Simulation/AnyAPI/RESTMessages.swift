import FoundationEssentials
import StrataDomain

/// A request to the model of a REST server.
struct RESTRequest: Sendable {
    enum Method: String, Sendable { case list, get, find, post, put, patch, delete }

    var method: Method
    var collection: String
    /// The id in the path.
    var id: String?
    var fields: [String: JSONValue] = [:]
    var ifMatch: String?
    /// `If-None-Match: *`.
    var mustBeNew = false
    /// Whether the device sends it as a create: for the books of the model.
    var isCreate = false
    var key: String?
    /// Where a page begins: an offset, a place in the order of change, or a number of the change log.
    var page: String?
    /// The `updated_since` or the cursor of a list.
    var from: String?
    /// The device and the local id of the row: for the books of the model. The server keeps it where its rules say so.
    var ref: String?
    /// The device that sends it.
    var sender: String
    /// The same in all copies of one request, and different in every other one.
    var number = 0
    var sentAt = Duration.zero
    /// Of a write: the fields of the row as the device had last read them when it sent this; `nil` for a row that it did not have.
    var base: [String: String]?
    /// The number of the server's last change when this process last looked at the row; 0 when it did not.
    var lookedAt = 0

    var isWrite: Bool { method == .post || method == .put || method == .patch || method == .delete }

    /// For the trace.
    var text: String {
        let values = ["text", "mark", "code", "project"].compactMap { name in
            fields[name].map { "\(name)=\($0.string ?? "null")" }
        }
        let rest = [ifMatch.map { "if \($0)" }, page.map { "page \($0)" }, from.map { "from \($0)" }].compactMap(\.self)
        return ([method.rawValue, collection, id ?? ""] + values + rest).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// A row as the server shows it.
struct RESTRow: Sendable, Equatable {
    var id: String
    var fields: [String: JSONValue]
    var revision: Int
    /// By the clock of the server, in milliseconds, cut to seconds.
    var updatedAt: Int64
    var isDeleted = false

    var tag: String { "\"r\(revision)\"" }

    /// The document on the wire.
    var document: [String: JSONValue] {
        var document = fields
        document["id"] = .string(id)
        document["updated_at"] = .integer(Int(updatedAt))
        if isDeleted { document["deleted"] = .bool(true) }
        return document
    }
}

struct RESTResponse: Sendable {
    var status: Int
    var rows: [RESTRow] = []
    /// The ids of a feed of deletions.
    var deleted: [String] = []
    /// The number of all rows, where the list states it.
    var total: Int?
    /// The next page of a list.
    var next: String?
    /// Where the next pull begins.
    var checkpoint: String?
    /// The `Date` of the response, in milliseconds.
    var time: Int64 = 0
    /// The number of the server's last change.
    var change = 0
    var detail: String?

    static func row(_ row: RESTRow, _ status: Int = 200) -> RESTResponse { RESTResponse(status: status, rows: [row]) }

    static func refused(_ status: Int, _ detail: String) -> RESTResponse {
        RESTResponse(status: status, detail: detail)
    }

    /// For the trace.
    var text: String {
        let all = rows.map { "\($0.id)\($0.isDeleted ? "†" : "")@\($0.revision)" } + deleted.map { "†\($0)" }
        return ([String(status)] + all + [next.map { "next \($0)" } ?? ""]).filter { !$0.isEmpty }.joined(
            separator: " ")
    }
}
