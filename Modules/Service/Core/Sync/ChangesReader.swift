import FoundationEssentials
import StrataDomain

/// Reads pages of changes in the order of their versions (`ChangeOrder`). No change appears below a cursor that a client has.
struct ChangesReader: Sendable {
    let collections: [String: any SyncedCollection]

    /// - Parameter cursor: `nil` starts a replacement round, which has live rows only.
    /// - Throws: 409 `epoch_changed` and `scope_changed`, 410 `cursor_expired`. The client then starts without a cursor.
    func page(
        after cursor: SyncCursor?, _ position: SyncTables.Position, limit: Int, of scope: SyncScope,
        in reader: any StoreReader
    ) throws -> ChangesPage {
        let origin = CursorOrigin(position, scope)
        if let cursor { try Self.check(cursor, for: scope, position, reader) }
        var round = cursor ?? SyncCursor(origin: origin, after: 0, isReplacement: true)
        // A row that is written again leaves its version, so the last one may lie before the client's.
        let upTo = round.upTo ?? max(position.seq, round.after)
        let rows = try Self.rows(round, upTo, limit: limit, of: scope, in: reader)
        let changes = try self.changes(rows.prefix(limit), in: reader)
        let hasMore = rows.count > changes.count
        if hasMore, let last = changes.last {
            round = SyncCursor(origin: origin, after: last.version, upTo: upTo, isReplacement: round.isReplacement)
        } else {
            round = SyncCursor(origin: origin, after: upTo)
        }
        return ChangesPage(
            changes: changes, cursor: round.text, hasMore: hasMore,
            isReplacement: cursor.map(\.isReplacement) ?? true, upTo: upTo, head: max(position.seq, upTo))
    }

    /// The rows of a page and one more, which shows whether another page follows.
    private static func rows(
        _ round: SyncCursor, _ upTo: Int, limit: Int, of scope: SyncScope, in reader: any StoreReader
    ) throws -> [StoreRow] {
        // The common case of a waiting pull needs no query.
        guard round.after < upTo else { return [] }
        return try reader.rows(
            """
            SELECT collection, entity_id, version, updated_at, deleted FROM sync_change
            WHERE version > \(round.after) AND version <= \(upTo) AND (deleted = 0 OR \(!round.isReplacement) = 1)
                AND \(scope.condition)
            ORDER BY version LIMIT \(limit + 1)
            """)
    }

    /// The current row of `id`; `nil` when it never existed, and for a row that `caller` does not see.
    func current(
        _ collection: any SyncedCollection, _ id: String, for caller: Principal, in reader: any StoreReader
    ) throws -> SyncChange? {
        let own: Statement =
            try collection.owners(seenBy: caller, in: reader).map { "AND owner IN (\(list: $0))" } ?? ""
        let rows = try reader.rows(
            """
            SELECT collection, entity_id, version, updated_at, deleted FROM sync_change
            WHERE collection = \(collection.name) AND entity_id = \(id) \(own)
            """)
        return try changes(rows[...], in: reader).first
    }

    private static func check(
        _ cursor: SyncCursor, for scope: SyncScope, _ position: SyncTables.Position, _ reader: any StoreReader
    ) throws {
        try cursor.origin.checkHistory(upTo: cursor.upTo ?? cursor.after, position, in: reader)
        try cursor.origin.check(scope)
        // A replacement round needs no tombstones below its end.
        guard (cursor.isReplacement ? cursor.upTo ?? position.seq : cursor.after) >= position.pruned else {
            throw SyncCursor.expired
        }
    }

    /// The changes of `rows` with their data: as many as fit in a page, at least one.
    private func changes(_ rows: ArraySlice<StoreRow>, in reader: any StoreReader) throws -> [SyncChange] {
        var changes: [SyncChange] = []
        var budget = PageBudget()
        var rest = rows
        while !rest.isEmpty {
            for change in try read(rest.prefix(PageBudget.batch), in: reader) {
                guard budget.admits(JSONSize.of(change)) else { return changes }
                changes.append(change)
            }
            rest = rest.dropFirst(PageBudget.batch)
        }
        return changes
    }

    /// Reads the data of the rows, and keeps their order.
    private func read(_ rows: ArraySlice<StoreRow>, in reader: any StoreReader) throws -> [SyncChange] {
        var live: [String: [String]] = [:]
        for row in rows where try !row.bool("deleted") {
            live[try row.text("collection"), default: []].append(try row.text("entity_id"))
        }
        var data: [String: [String: [String: JSONValue]]] = [:]
        for (name, ids) in live { data[name] = try collections[name]?.rows(ids, in: reader) }
        return try rows.map { row in
            let (name, id) = (try row.text("collection"), try row.text("entity_id"))
            let found = try row.bool("deleted") ? nil : data[name]?[id]
            return SyncChange(
                collection: name, id: id, version: try row.int("version"), updatedAt: try row.date("updated_at"),
                operation: found == nil ? .delete : .put, data: found)
        }
    }
}

extension JSONSize {
    /// A change in a page; its keys and numbers take less than 200 bytes.
    fileprivate static func of(_ change: SyncChange) -> Int {
        200 + of(change.collection) + of(change.id) + (change.data.map { of($0) } ?? 0)
    }
}
