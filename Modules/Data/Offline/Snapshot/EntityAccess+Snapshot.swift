import FoundationEssentials
import GRDB
import StrataDomain

extension EntityAccess {
    /// Begins a replacement round: what no line of it brings is gone at its end.
    ///
    /// The cursor stays until then: it lets the server refuse writes that are based on another life of its data.
    func beginSnapshot() throws {
        round += 1
        let db = tables.db
        try db.execute(sql: "UPDATE cursor SET replacing = 1, round = ?, page = NULL", arguments: [round])
        try db.execute(sql: "DELETE FROM seen")
        try noteEmptiness()
    }

    /// Stores a batch and the position behind it; with the last one, the cursor to go on with.
    ///
    /// - Parameter before: Rows that the same answer brought before, for comparison with what the server counted.
    /// - Returns: The number of rows in the batch, and what became of them.
    func store(
        _ batch: SnapshotBatch, before: Int, known: String
    ) throws -> (rows: Int, report: SyncReport) {
        try widen(isSnapshot: true)
        let (rows, report) = try storeLines(batch.lines)
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
            try widen(isSnapshot: false)
        }
        return result
    }

    /// Thousands of rows a transaction need more pages at hand than SQLite keeps by itself, and pages that are written again
    /// and again need not be copied into the file after every commit.
    private func widen(isSnapshot: Bool) throws {
        try tables.db.execute(
            sql: "PRAGMA cache_size = \(isSnapshot ? -16_000 : -2_000); "
                + "PRAGMA wal_autocheckpoint = \(isSnapshot ? 8_000 : 1_000)")
    }

    private func storeLines(_ lines: [UInt8]) throws -> (rows: Int, report: SyncReport) {
        var (rows, report) = (0, SyncReport())
        guard !lines.isEmpty else { return (rows, report) }
        let busy = try tables.busyEntities()
        var written: Set<String> = []
        try lines.withUnsafeBufferPointer { buffer in
            guard let bytes = buffer.baseAddress else { return }
            var scanner = SnapshotScanner(bytes)
            var writer = SnapshotRowWriter?.none
            var start = 0
            while start < buffer.count {
                let end = SnapshotScanner.lineFeed(in: buffer, from: start) ?? buffer.count
                defer { start = end + 1 }
                rows += 1
                if scanner.scan(start..<end) {
                    if !(writer?.isFor(scanner.collection, bytes) ?? false) {
                        let name = String(decoding: buffer[scanner.collection.range], as: UTF8.self)
                        writer = try collections[name].flatMap {
                            try SnapshotRowWriter($0, round: round, in: tables.db)
                        }
                        if writer != nil { written.insert(name) }
                    }
                    let isQuiet =
                        busy.isEmpty
                        || !busy.contains(
                            EntityKey(
                                collection: String(decoding: buffer[scanner.collection.range], as: UTF8.self),
                                id: String(decoding: buffer[scanner.id.range], as: UTF8.self)))
                    if isQuiet, case .stored(let isNews) = try writer?.store(scanner, bytes) {
                        if isNews { report.pulled += 1 }
                        continue
                    }
                }
                report.add(try storeLine(Data(buffer[start..<end]), busy))
            }
        }
        for name in written {
            guard let collection = collections[name] else { continue }
            // Its rows were written past GRDB, which tells observers.
            try tables.db.notifyChanges(in: Table(collection.table))
        }
        if !written.isEmpty { try tables.db.notifyChanges(in: Table("shadow")) }
        return (rows, report)
    }

    /// Stores one row by way of the planner.
    private func storeLine(_ line: Data, _ busy: Set<EntityKey>) throws -> SyncReport {
        guard case .row(let remote)? = try? SnapshotLine(line) else {
            throw NetworkError(.invalidResponse("a line of the snapshot is no row"))
        }
        guard collections[remote.collection] != nil else { return SyncReport() }
        let isBusy = busy.contains(remote.key)
        let local = try fetchLocal(remote.key, isQuiet: !isBusy)
        let decision = SyncPlanner.reconcile(local: local, remote: remote, replacing: true, fresh(remote.collection))
        try persist(decision.state, over: local, isLocal: false)
        if isBusy { try tables.setSeen(remote.key) }
        return decision.report
    }
}

extension SnapshotScanner.Slice {
    fileprivate var range: Range<Int> { start..<end }
}

extension SnapshotRowWriter {
    fileprivate func isFor(_ collection: SnapshotScanner.Slice, _ bytes: UnsafePointer<UInt8>) -> Bool {
        collection.count == name.count && SnapshotScanner.areEqual(name, bytes + collection.start, name.count)
    }
}
