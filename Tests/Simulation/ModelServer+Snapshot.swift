import FoundationEssentials
import StrataDomain

extension ModelServer {
    /// A snapshot from a page mark to its end, in the format of the service.
    func snapshot(_ call: FetchSnapshot) -> Result<String, NetworkError> {
        var (upTo, after) = (state.seq, Key(collection: "", id: ""))
        if let page = call.page {
            let parts = page.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, let end = Int(parts[1]) else { return failure(400, SyncCode.invalidCursor) }
            guard parts[0] == "\(epoch)" else { return failure(409, SyncCode.epochChanged) }
            guard end >= state.horizon else { return failure(410, SyncCode.cursorExpired) }
            (upTo, after) = (end, Key(collection: parts[2], id: parts[3]))
        }
        let wanted = call.collections?.split(separator: ",").map(String.init)
        let rows = state.rows.filter { key, row in
            key > after && row.version <= upTo && row.data != nil && wanted?.contains(key.collection) != false
        }
        var text = ""
        for (number, (key, row)) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
            text += Self.line(change(key, row))
            if (number + 1) % (call.limit ?? 1000) == 0 {
                text += "{\"page\":\"\(epoch)/\(upTo)/\(key.collection)/\(key.id)\"}\n"
            }
        }
        return .success(text + "{\"cursor\":\"\(epoch)/\(upTo)/0/0\",\"rows\":\(rows.count),\"up_to\":\(upTo)}\n")
    }

    /// One row of a snapshot, as a line.
    static func line(_ row: SyncChange) -> String {
        let data = (try? WireJSON.encode(row.data ?? [:])).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let milliseconds = Int(row.updatedAt.timeIntervalSince1970 * 1000)
        return "[\"\(row.collection)\",\"\(row.id)\",\(row.version),\(milliseconds),\(data)]\n"
    }
}
