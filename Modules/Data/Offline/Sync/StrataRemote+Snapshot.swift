import FoundationEssentials
import GRDB
import Logging
import StrataDomain

extension StrataRemote {
    enum SnapshotResult: Hashable, Sendable {
        /// Everything is here as of the cursor that is stored now.
        case complete
        /// The server has no snapshots: ask for pages without a cursor.
        case unknown
    }

    /// Replaces all rows by a streamed snapshot, from the position of an interrupted run on.
    ///
    /// Each batch is stored with the position behind it, the last one with the cursor. Memory is bounded by two batches.
    func takeSnapshot(_ report: inout SyncReport) async throws(DomainError) -> SnapshotResult {
        defer { database.gate.endSnapshot() }
        var (mayStartOver, rows, answers) = (true, 0, 0)
        while true {
            let page = try await storedPage()
            let run: SnapshotRun
            do {
                run = try await stream(from: page, after: rows)
            } catch {
                if case .notFound = error.kind { return .unknown }
                guard page != nil, mayStartOver, Self.asksForReplacement(error) else { throw DomainError(error) }
                log.info("The snapshot starts again.", metadata: ["reason": "\(error)"])
                mayStartOver = false
                try await forgetPage()
                continue
            }
            report.add(run.report)
            rows += run.rows
            if run.isComplete { return .complete }
            // Cut off. The received batches are stored. Ask for the rest as long as each response has new rows.
            answers += 1
            let isFurther = try await storedPage() != page
            guard isFurther, answers < Self.mostAnswers, run.failure?.mayBeTriedAtOnce ?? true else {
                throw run.failure ?? DomainError(NetworkError(.connectionLost("the snapshot has no end")))
            }
        }
    }

    /// Responses of one run that are cut off; the next run continues.
    private static let mostAnswers = 100

    private func forgetPage() async throws(DomainError) {
        try await access { try $0.tables.db.execute(sql: "UPDATE cursor SET page = NULL") }
    }

    /// The rows of one response.
    private struct SnapshotRun: Sendable {
        var report = SyncReport()
        var rows = 0
        var isComplete = false
        /// Why it ended early; `nil` when the connection was only cut.
        var failure: DomainError?

        mutating func add(_ stored: SnapshotRun) {
            report.add(stored.report)
            rows += stored.rows
            isComplete = stored.isComplete
        }
    }

    /// - Throws: The error response of the server.
    private func stream(from page: String?, after rows: Int) async throws(NetworkError) -> SnapshotRun {
        // No deadline: the idle timeout of the transport ends a silent connection.
        let patience = Duration.seconds(24 * 3600)
        return try await client.stream(
            FetchSnapshot(collections: wantedCollections, page: page, limit: settings.snapshotRows),
            options: CallOptions(deadline: patience, attemptTimeout: patience)
        ) { _, pieces in
            await self.receive(pieces, isFirst: page == nil, after: rows)
        }
    }

    /// Stores each batch while the next one arrives.
    private func receive(
        _ pieces: any AsyncSequence<Data, any Error> & Sendable, isFirst: Bool, after rows: Int
    ) async -> SnapshotRun {
        await withTaskGroup(of: SnapshotRun.self) { group in
            var run = SnapshotRun()
            func finishBatch() async {
                guard let stored = await group.next() else { return }
                run.add(stored)
                run.failure = run.failure ?? stored.failure
                if stored.failure == nil { onProgress(.receiving(rows + run.rows)) }
            }
            do {
                var (cutter, opens) = (SnapshotCutter(), isFirst)
                for try await piece in pieces {
                    cutter.append(piece)
                    while let batch = try cutter.next() {
                        await finishBatch()
                        if run.failure != nil { return run }
                        group.addTask { [opens, before = run.rows] in
                            await self.store(batch, opening: opens, before: before)
                        }
                        opens = false
                    }
                }
            } catch {
                run.failure = DomainError(error)
            }
            let cut = run.failure
            await finishBatch()
            if run.isComplete { run.failure = nil } else { run.failure = run.failure ?? cut }
            return run
        }
    }

    private func store(_ batch: SnapshotBatch, opening: Bool, before: Int) async -> SnapshotRun {
        var run = SnapshotRun()
        do throws(DomainError) {
            let (database, random, now, known) = (database, random, wallClock.now, knownCollections)
            let work = { @Sendable (db: Database) in
                let access = try database.access(db, random, now: now)
                if opening { try access.beginSnapshot() }
                return try access.store(batch, before: before, known: known)
            }
            // Only the last batch, with the cursor, waits for the disk: the server sends earlier ones again.
            let stored = try await database.write(batch.end == nil ? .snapshot : .usual, work)
            (run.rows, run.report) = (stored.rows, stored.report)
            run.isComplete = batch.end != nil
        } catch {
            run.failure = error
        }
        return run
    }
}

extension DomainError {
    /// Whether the same request may well succeed now: the connection was cut, nothing else is wrong.
    fileprivate var mayBeTriedAtOnce: Bool { if case .unavailable = self { true } else { false } }
}
