import FoundationEssentials
import StrataDomain

/// Reads a snapshot in chunks, each in its own transaction, so that a slow client holds no transaction open.
///
/// Rows written after the start are left out; the cursor at the end of the snapshot delivers them.
struct SnapshotReader: Sendable {
    let collections: [String: any SyncedCollection]
    /// The names of a request, for `SyncScope`.
    let names: String?
    let caller: Principal
    /// Most rows in a chunk.
    let limit: Int

    /// Rows read at a time.
    private static let mostRows = 500
    /// Most rows in the first chunk of a response. Each later chunk has at most as many rows as were sent before, so that a
    /// client stores the first rows while later ones are read.
    private static let firstRows = 1000

    /// A position in a snapshot.
    struct Place: Sendable, Hashable {
        var origin: CursorOrigin
        var upTo: Int
        var bucket: Int?
        /// The current collection; empty before the first.
        var collection = ""
        /// Id of the last row; empty before the first.
        var after = ""
    }

    struct Chunk: Sendable {
        /// Row lines, then the page mark or the last line.
        var bytes: [UInt8]
        var rows: Int
        /// Where the next chunk begins; `nil` after the last.
        var next: Place?
    }

    /// Where a response begins.
    ///
    /// - Parameter page: A page mark; `nil` for the start.
    /// - Throws: 400 for a page mark that is malformed or of another request; 409 and 410 for one that has expired.
    func start(at page: String?, bucket: Int?, in reader: any StoreReader) throws -> Place {
        let position = try SyncTables.position(in: reader)
        let scope = try scope(in: reader)
        guard let page else {
            return Place(origin: CursorOrigin(position, scope), upTo: position.seq, bucket: bucket)
        }
        guard let place = Place(page), place.bucket == bucket else {
            throw ServiceError(
                400, code: SyncCode.invalidCursor, title: "Invalid page",
                detail: "This page mark belongs to another request; send it with the same parameters, or none.")
        }
        try place.origin.checkHistory(upTo: place.upTo, position, in: reader)
        try place.origin.check(scope)
        guard place.upTo >= position.pruned else { throw SyncCursor.expired }
        return place
    }

    /// The rows from `place`, at most `limit`, up to the row that reaches `PageLimit.bytes`.
    ///
    /// - Parameter sent: Rows of the response so far.
    /// - Throws: 409 when the caller sees other rows than at the start, such as those of a space that was left: this ends the response.
    func chunk(from place: Place, sent: Int, in reader: any StoreReader) throws -> Chunk {
        let scope = try scope(in: reader)
        try place.origin.check(scope)
        var place = place
        var bytes: [UInt8] = []
        var rows = 0
        let limit = min(limit, max(sent, Self.firstRows))
        for name in scope.collections where name >= place.collection {
            // Of a collection whose rows the caller's role does not read, there are none.
            guard let collection = collections[name], scope.owners[name]?.isEmpty != true else { continue }
            if name > place.collection { (place.collection, place.after) = (name, "") }
            while true {
                // Rows may be large, so they are read a few at a time.
                let wanted = SnapshotRange(
                    after: place.after.isEmpty ? nil : place.after, upTo: place.upTo,
                    limit: min(limit - rows, Self.mostRows), bytes: PageLimit.bytes - bytes.count,
                    owners: scope.owners[name])
                let lines =
                    if let bucket = place.bucket {
                        try collection.changeLogLines(wanted, bucket: bucket, in: reader)
                    } else {
                        try collection.snapshot(wanted, in: reader)
                    }
                rows += lines.count
                bytes.append(contentsOf: lines.text.bytes)
                if let last = lines.last { place.after = last }
                guard rows < limit, bytes.count < PageLimit.bytes else {
                    bytes += Self.line(["page": .string(place.text)])
                    return Chunk(bytes: bytes, rows: rows, next: place)
                }
                if lines.count < wanted.limit { break }
            }
        }
        bytes += end(place, rows: sent + rows)
        return Chunk(bytes: bytes, rows: rows, next: nil)
    }

    private func scope(in reader: any StoreReader) throws -> SyncScope {
        try SyncScope(names, of: caller, collections, in: reader)
    }

    private func end(_ place: Place, rows: Int) -> [UInt8] {
        var members: [String: JSONValue] = ["up_to": .integer(place.upTo), "rows": .integer(rows)]
        if place.bucket == nil { members["cursor"] = .string(SyncCursor(origin: place.origin, after: place.upTo).text) }
        return Self.line(members)
    }

    private static func line(_ members: [String: JSONValue]) -> [UInt8] {
        var text = JSONText()
        try? text.object(members)  // strings and integers do not fail
        text.raw("\n")
        return text.bytes
    }
}

extension SnapshotReader.Place {
    private static let kind = "strata-sync-page-1"

    var text: String {
        ChecksummedText.encode(
            [
                origin.epoch, origin.timeline, origin.scope, String(upTo), bucket.map { String($0) } ?? "", collection,
                after,
            ], as: Self.kind)
    }

    init?(_ text: String) {
        guard let parts = ChecksummedText.decode(text, as: Self.kind), parts.count == 7, let upTo = Int(parts[3]) else {
            return nil
        }
        self.init(
            origin: CursorOrigin(epoch: parts[0], timeline: parts[1], scope: parts[2]), upTo: upTo,
            bucket: Int(parts[4]),
            collection: parts[5], after: parts[6])
    }
}

extension SyncedCollection {
    public func snapshot(_ range: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines {
        try changeLogLines(range, bucket: nil, in: store)
    }

    /// The rows of a range, found by the change log.
    func changeLogLines(_ range: SnapshotRange, bucket: Int?, in store: any StoreReader) throws -> SnapshotLines {
        let inBucket: Statement = bucket.map { "AND bucket = \($0)" } ?? ""
        let own: Statement = range.owners.map { "AND owner IN (\(list: $0))" } ?? ""
        let entries = try store.rows(
            """
            SELECT entity_id, version, updated_at FROM sync_change
            WHERE collection = \(name) AND entity_id > \(range.after ?? "") AND version <= \(range.upTo)
                AND deleted = 0 \(inBucket) \(own) ORDER BY entity_id LIMIT \(range.limit)
            """)
        var lines = SnapshotLines(of: name)
        var rest = entries[...]
        while !rest.isEmpty, lines.text.bytes.count < range.bytes {
            let batch = rest.prefix(PageBudget.batch)
            rest = rest.dropFirst(PageBudget.batch)
            let data = try rows(batch.map { try $0.text("entity_id") }, in: store)
            for entry in batch where lines.text.bytes.count < range.bytes {
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
