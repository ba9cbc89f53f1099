import FoundationEssentials
import GRDB
import StrataDomain

extension EntityAccess {
    /// Begins a replacement round: what no line of it brings is gone at its end.
    ///
    /// The cursor stays until then: it lets the server refuse writes that are based on other data, from before a restore.
    func beginSnapshot() throws {
        round += 1
        let db = tables.db
        try db.execute(sql: "UPDATE cursor SET replacing = 1, round = ?, page = NULL", arguments: [round])
        try db.execute(sql: "DELETE FROM seen")
        try noteEmptiness()
    }

    /// Stores a batch and the position behind it; with the last one, the cursor to go on with.
    ///
    /// - Parameters:
    ///   - found: The lines of the batch.
    ///   - before: Rows that the same answer brought before, for comparison with what the server counted.
    /// - Returns: The number of rows in the batch, and what became of them.
    func store(
        _ batch: SnapshotBatch, _ found: SnapshotRows, before: Int, known: String
    ) throws -> (rows: Int, report: SyncReport) {
        try widen()
        let (rows, report) = try storeRows(found)
        var result = (rows: rows, report: report)
        let db = tables.db
        if let page = batch.page {
            try db.cachedStatement(sql: "UPDATE cursor SET page = ?").execute(arguments: [page])
        }
        if let end = batch.end {
            guard let cursor = end.cursor, end.rows == before + rows else {
                throw NetworkError(
                    .invalidResponse("the snapshot says it has \(end.rows) rows, but \(before + rows) came"))
            }
            result.report.add(try dropUnseen(upTo: end.upTo))
            let finish = try db.cachedStatement(
                sql: "UPDATE cursor SET cursor = ?, collections = ?, page = NULL, replacing = 0")
            try finish.execute(arguments: [cursor, known])
        }
        return result
    }

    /// Thousands of rows a transaction need more pages at hand than SQLite keeps by itself, and pages that are written again
    /// and again need not be copied into the file after every commit. `DatabaseGate.endSnapshot` takes it back.
    private func widen() throws {
        try tables.db.execute(sql: "PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 8000")
    }

    private func storeRows(_ found: SnapshotRows) throws -> (rows: Int, report: SyncReport) {
        var report = SyncReport()
        guard !found.rows.isEmpty else { return (0, report) }
        let busy = try tables.busyEntities()
        let names = found.shapes.map { String(decoding: $0.name, as: UTF8.self) }
        var writers = names.map { _ in SnapshotRowWriter?.none }
        try found.withBytes { lines, contents in
            for row in found.rows {
                let line = UnsafeBufferPointer(rebasing: lines[row.line.start..<row.line.end])
                guard let shape = row.shape.map({ Int($0) }), let collection = collections[names[shape]],
                    try busy.isEmpty || !busy.contains(EntityKey(collection: names[shape], id: row.id.text(lines)))
                else {
                    report.add(try storeLine(Data(line), busy))
                    continue
                }
                let writer =
                    try writers[shape]
                    ?? SnapshotRowWriter(collection, found.shapes[shape], round: round, in: tables.db)
                writers[shape] = writer
                if try writer.store(row, of: found, lines, contents) { report.pulled += 1 }
            }
        }
        // Their rows were written past GRDB, which tells observers.
        let written = writers.compactMap { $0?.collection.table }
        for table in written + (written.isEmpty ? [] : ["shadow"]) { try tables.db.notifyChanges(in: Table(table)) }
        return (found.rows.count, report)
    }

    /// Stores one row by way of the planner.
    private func storeLine(_ line: Data, _ busy: BusyEntities) throws -> SyncReport {
        guard case .row(let remote)? = try? SnapshotLine(line) else {
            throw NetworkError(.invalidResponse("a line of the snapshot is no row"))
        }
        guard collections[remote.collection] != nil else { return SyncReport() }
        let isBusy = try busy.contains(remote.key)
        let local = try fetchLocal(remote.key, isQuiet: !isBusy)
        let decision = SyncPlanner.reconcile(local: local, remote: remote, replacing: true, context(remote.collection))
        try persist(decision.state, over: local, isLocal: false)
        if isBusy { try tables.setSeen(remote.key) }
        return decision.report
    }
}

extension SnapshotScanner.Slice {
    fileprivate func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
