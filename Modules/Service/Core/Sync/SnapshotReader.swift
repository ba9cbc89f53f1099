import FoundationEssentials
import StrataDomain

/// Reads a snapshot piece by piece, each in a transaction of its own, so that a slow reader holds nothing.
///
/// Rows written behind the start are left out, wherever they lie: the cursor at the end brings them.
struct SnapshotReader: Sendable {
    let collections: [String: any SyncedCollection]
    let scope: SyncScope
    /// Most rows in a piece.
    let limit: Int

    /// Rows that are read at a time.
    private static let mostRows = 500
    /// Most rows in the first piece of an answer. Each one after it has at most as many as were sent before, so that a
    /// client stores the first rows while the others are read.
    private static let firstRows = 1000

    /// A place in a snapshot.
    struct Place: Sendable, Hashable {
        var past: SyncPast
        var upTo: Int
        var bucket: Int?
        /// The collection that is being read; empty before the first.
        var collection = ""
        /// Id of the last row that was read; empty before the first.
        var after = ""
    }

    struct Piece: Sendable {
        /// Row lines, and the page mark or the last line.
        var bytes: [UInt8]
        var rows: Int
        /// Where the next piece begins; `nil` after the last.
        var next: Place?
    }

    /// Where to begin.
    ///
    /// - Parameter page: A page mark, or `nil`.
    /// - Throws: 400 for a page mark that is none or of another request; 409 and 410 for one that has become useless.
    func start(at page: String?, bucket: Int?, in reader: any StoreReader) throws -> Place {
        let position = try SyncTables.position(in: reader)
        guard let page else {
            return Place(past: SyncPast(position, scope), upTo: position.seq, bucket: bucket)
        }
        guard let place = Place(page), place.bucket == bucket else {
            throw ServiceError(
                400, code: SyncCode.invalidCursor, title: "Invalid page",
                detail: "This page mark belongs to another request; send it with the same parameters, or none.")
        }
        try place.past.checkHistory(upTo: place.upTo, position, in: reader)
        try place.past.check(scope)
        guard place.upTo >= position.pruned else { throw SyncCursor.expired }
        return place
    }

    /// The rows from `place` on: at most `limit` of them, and no more behind the one that reaches `PageLimit.bytes`.
    ///
    /// - Parameter sent: Rows of the answer so far.
    func piece(from place: Place, sent: Int, in reader: any StoreReader) throws -> Piece {
        var place = place
        var bytes: [UInt8] = []
        var rows = 0
        let limit = min(limit, max(sent, Self.firstRows))
        for name in scope.collections where name >= place.collection {
            guard let collection = collections[name] else { continue }
            if name > place.collection { (place.collection, place.after) = (name, "") }
            while true {
                // A few at a time: rows may be large, and all that are asked for would not fit the memory.
                let wanted = SnapshotPiece(
                    after: place.after.isEmpty ? nil : place.after, upTo: place.upTo,
                    limit: min(limit - rows, Self.mostRows), bytes: PageLimit.bytes - bytes.count)
                let lines =
                    if let bucket = place.bucket {
                        try collection.countedLines(wanted, bucket: bucket, in: reader)
                    } else {
                        try collection.snapshot(wanted, in: reader)
                    }
                rows += lines.count
                bytes.append(contentsOf: lines.text.bytes)
                if let last = lines.last { place.after = last }
                guard rows < limit, bytes.count < PageLimit.bytes else {
                    bytes += Self.line(["page": .string(place.text)])
                    return Piece(bytes: bytes, rows: rows, next: place)
                }
                if lines.count < wanted.limit { break }
            }
        }
        bytes += end(place, rows: sent + rows)
        return Piece(bytes: bytes, rows: rows, next: nil)
    }

    private func end(_ place: Place, rows: Int) -> [UInt8] {
        var members: [String: JSONValue] = ["up_to": .integer(place.upTo), "rows": .integer(rows)]
        if place.bucket == nil { members["cursor"] = .string(SyncCursor(past: place.past, after: place.upTo).text) }
        return Self.line(members)
    }

    private static func line(_ members: [String: JSONValue]) -> [UInt8] {
        var text = JSONText()
        try? text.object(members)  // text and integers only
        text.raw("\n")
        return text.bytes
    }
}

extension SnapshotReader.Place {
    private static let kind = "strata-sync-page-1"

    var text: String {
        SealedFields.seal(
            [
                past.epoch, past.timeline, past.scope, String(upTo), bucket.map { String($0) } ?? "", collection, after,
            ], as: Self.kind)
    }

    init?(_ text: String) {
        guard let parts = SealedFields.open(text, as: Self.kind), parts.count == 7, let upTo = Int(parts[3]) else {
            return nil
        }
        self.init(
            past: SyncPast(epoch: parts[0], timeline: parts[1], scope: parts[2]), upTo: upTo, bucket: Int(parts[4]),
            collection: parts[5], after: parts[6])
    }
}

extension SyncedCollection {
    public func snapshot(_ piece: SnapshotPiece, in store: any StoreReader) throws -> SnapshotLines {
        try countedLines(piece, bucket: nil, in: store)
    }

    /// Any piece, by way of the change log.
    func countedLines(_ piece: SnapshotPiece, bucket: Int?, in store: any StoreReader) throws -> SnapshotLines {
        let filter: Statement = bucket.map { "AND bucket = \($0)" } ?? ""
        let entries = try store.rows(
            """
            SELECT entity_id, version, updated_at FROM sync_change
            WHERE collection = \(name) AND entity_id > \(piece.after ?? "") AND version <= \(piece.upTo)
                AND deleted = 0 \(filter) ORDER BY entity_id LIMIT \(piece.limit)
            """)
        var lines = SnapshotLines(of: name)
        var rest = entries[...]
        while !rest.isEmpty, lines.text.bytes.count < piece.bytes {
            let batch = rest.prefix(PageBudget.batch)
            rest = rest.dropFirst(PageBudget.batch)
            let data = try rows(batch.map { try $0.text("entity_id") }, in: store)
            for entry in batch where lines.text.bytes.count < piece.bytes {
                let id = try entry.text("entity_id")
                guard let row = data[id] else { continue }
                try lines.add(id: id, version: try entry.int("version"), milliseconds: try entry.int("updated_at")) {
                    text in
                    try text.object(row)
                }
            }
        }
        return lines
    }
}
