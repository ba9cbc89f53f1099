import FoundationEssentials
import GRDB
import StrataDomain

extension EntityAccess {
    /// Begins a replacement round: its end deletes the rows that it did not bring.
    ///
    /// The cursor stays until then: by it the server refuses writes that are based on data from before a restore.
    func beginSnapshot() throws {
        round += 1
        let db = tables.db
        try db.execute(sql: "UPDATE cursor SET replacing = 1, round = ?, page = NULL", arguments: [round])
        try db.execute(sql: "DELETE FROM seen")
    }

    /// Stores a batch and the position behind it; with the last one, the cursor to go on with.
    ///
    /// - Parameters:
    ///   - before: Rows of earlier batches of the same response, to compare the total with the server's count.
    ///   - known: The collections of the cursor.
    /// - Returns: The number of rows in the batch, and their part of the report.
    func store(_ batch: SnapshotBatch, before: Int, known: String) throws -> (rows: Int, report: SyncReport) {
        let db = tables.db
        // A transaction of thousands of rows needs a larger page cache than SQLite's default, and a checkpoint after each
        // would write the same pages again. `DatabaseGate.endSnapshot` restores both.
        try db.execute(sql: "PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 8000")
        var result = try storeRows(batch.lines)
        if let page = batch.page {
            try db.cachedStatement(sql: "UPDATE cursor SET page = ?").execute(arguments: [page])
        }
        if let end = batch.end {
            let rows = before + result.rows
            guard let cursor = end.cursor, end.rows == rows else {
                throw NetworkError(.invalidResponse("the snapshot says it has \(end.rows) rows, but \(rows) came"))
            }
            result.report.add(try dropUnseen(upTo: end.upTo))
            let finish = try db.cachedStatement(
                sql: "UPDATE cursor SET cursor = ?, collections = ?, page = NULL, replacing = 0")
            try finish.execute(arguments: [cursor, known])
        }
        return result
    }

    private func storeRows(_ lines: [UInt8]) throws -> (rows: Int, report: SyncReport) {
        var (rows, report) = (0, SyncReport())
        let busy = try BusyEntities(tables.db)
        let writers = try collections.values.compactMap { try SnapshotRowWriter($0, round: round, in: tables.db) }
        try lines.withUnsafeBufferPointer { bytes in
            var (scanner, start) = (SnapshotScanner(bytes), 0)
            while start < bytes.count {
                let end = SnapshotScanner.lineFeed(in: bytes, from: start) ?? bytes.count
                if scanner.scan(start..<end), let writer = writers.first(where: { $0.isFor(scanner.collection) }),
                    try !busy.contains(writer.collection.name, scanner.id), let isNew = try writer.store(scanner)
                {
                    report.pulled += isNew ? 1 : 0
                } else {
                    report.add(try storeLine(Data(bytes[start..<end]), busy))
                }
                (rows, start) = (rows + 1, end + 1)
            }
        }
        let written = writers.filter(\.hasWritten).map(\.collection.table)
        for table in written + (written.isEmpty ? [] : ["base_row"]) { try tables.db.notifyChanges(in: Table(table)) }
        return (rows, report)
    }

    /// Stores one row through the planner.
    private func storeLine(_ line: Data, _ busy: BusyEntities) throws -> SyncReport {
        guard case .row(let row)? = try? SnapshotLine(line) else {
            throw NetworkError(.invalidResponse("a line of the snapshot is no row"))
        }
        let remote = present(row)
        guard collections[remote.collection] != nil else { return SyncReport() }
        let isBusy = try busy.contains(remote.key)
        guard let local = try fetchIntact(remote.key, isQuiet: !isBusy, else: remote) else {
            try tables.setSeen(remote.key)
            return SyncReport()
        }
        let decision = SyncPlanner.reconcile(local: local, remote: remote, replacing: true, context(remote.collection))
        try persist(decision.state, over: local, isLocal: false)
        if isBusy { try tables.setSeen(remote.key) }
        return decision.report
    }
}

extension BusyEntities {
    fileprivate func contains(_ collection: String, _ id: SnapshotScanner.Bytes) throws -> Bool {
        try !isEmpty && contains(EntityKey(collection: collection, id: String(decoding: id, as: UTF8.self)))
    }
}
