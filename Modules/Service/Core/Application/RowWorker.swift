import FoundationEssentials
import Logging
import StrataConcurrency
import StrataDomain

/// Works on the rows of tables in batches, beside the requests. One replica does it; another one, or the next start, goes on where it
/// ended. A batch and its place are one transaction, so each row is passed in the order of its last change, and none is left out.
struct RowWorker: Sendable {
    let store: any Store
    let work: [RowWork]
    let wallClock: any WallClock
    let clock: any Clock<Duration>
    let logger: Logger
    /// How far this process looked for rows, beyond what is stored.
    private let seen = SeenPlaces()

    init(
        store: any Store, tables: RelatedTables, wallClock: any WallClock, clock: any Clock<Duration>, logger: Logger
    ) {
        (self.store, self.wallClock, self.clock, self.logger) = (store, wallClock, clock, logger)
        work = tables.byName.values.sorted { $0.name < $1.name }.flatMap(\.rowWork)
    }

    /// Rows in a transaction.
    private static let batch = 100
    /// Lets requests write between two transactions.
    private static let pause = Duration.milliseconds(10)
    /// Refusals of a batch that are logged; the database has all.
    private static let mostLogged = 20

    /// Runs until it is cancelled; returns at once without work.
    func run() async {
        while !Task.isCancelled, !work.isEmpty {
            do {
                if store.isMaintainer { try await runOnce(pause: Self.pause) }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("could not work on rows", metadata: ["error": "\(String(reflecting: error))"])
            }
            do { try await clock.sleep(for: .seconds(15)) } catch { return }
        }
    }

    /// Passes all rows that wait.
    ///
    /// - Parameter pause: Between two batches. Default: none.
    func runOnce(pause: Duration = .zero) async throws {
        for work in work {
            while try await runBatch(of: work) {
                try Task.checkCancellation()
                if pause > .zero { try await clock.sleep(for: pause) }
            }
        }
    }

    private struct Batch: Sendable {
        var place: RowWorkLog.Place
        var rows: [(id: String, version: Int)] = []
        /// The version up to which there is no row beyond these.
        var line = 0
        /// Whether older writes than those up to `line` may still come.
        var isBehind = false
    }

    /// - Returns: Whether there may be more rows.
    private func runBatch(of work: RowWork) async throws -> Bool {
        let batch = try await next(of: work)
        guard !batch.place.hasEnded else { return false }
        guard let last = batch.rows.last else {
            try await rest(batch, of: work)
            return false
        }
        let now = wallClock.now
        let refusals = try await store.write { transaction -> [(id: String, reason: String)]? in
            var place = try RowWorkLog.place(of: work, in: transaction)
            // Another replica may have passed them.
            guard place == batch.place else { return nil }
            var refusals: [(id: String, reason: String)] = []
            for row in batch.rows {
                switch try Self.outcome(of: work, on: row.id, at: now, in: transaction) {
                case .unchanged: break
                case .changed: place.changed += 1
                case .refused(let reason): refusals.append((row.id, reason))
                }
            }
            place.position = last.version
            try RowWorkLog.set(place, of: work, in: transaction)
            try RowWorkLog.note(refusals, among: batch.rows.map(\.id), of: work, at: now, in: transaction)
            return refusals
        }
        for refusal in (refusals ?? []).prefix(Self.mostLogged) {
            logger.warning(
                "a row was left as it is",
                metadata: [
                    "work": "\(work.name)", "collection": "\(work.collection)", "id": "\(refusal.id)",
                    "reason": "\(refusal.reason)",
                ])
        }
        return true
    }

    private static func outcome(
        of work: RowWork, on id: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> RowWork.Outcome {
        do {
            return try transaction.attempt { try work.apply(id, now, transaction) }
        } catch let error as StoreError where error.endsTransaction {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            return .refused("\(error)")
        }
    }

    /// The next rows by their versions. The look at the change log is a read of its own: in the transaction it would depend on all writes.
    private func next(of work: RowWork) async throws -> Batch {
        let seen = seen.position(of: work)
        return try await store.read { reader in
            var batch = Batch(place: try RowWorkLog.place(of: work, in: reader))
            guard !batch.place.hasEnded else { return batch }
            let position = try SyncTables.position(in: reader)
            (batch.line, batch.isBehind) = (position.line, position.newest > position.line)
            // `|| ''` keeps the engine from using the index on collection, which would read the whole collection.
            batch.rows = try reader.rows(
                """
                SELECT entity_id, version FROM sync_change
                WHERE version > \(max(batch.place.position, seen)) AND version <= \(position.line)
                    AND collection || '' = \(work.collection) AND deleted = 0
                ORDER BY version LIMIT \(Self.batch)
                """
            ).map { (try $0.text("entity_id"), try $0.int("version")) }
            return batch
        }
    }

    /// No row waits: notes the end, or for work without an end the place, once for each start.
    private func rest(_ batch: Batch, of work: RowWork) async throws {
        let isFirst = seen.advance(to: batch.line, of: work)
        if work.ends ? batch.isBehind : !isFirst { return }
        try await store.quiet.write { transaction in
            var place = try RowWorkLog.place(of: work, in: transaction)
            guard place == batch.place else { return }
            place.position = max(place.position, batch.line)
            place.hasEnded = work.ends
            try RowWorkLog.set(place, of: work, in: transaction)
        }
        if work.ends {
            logger.notice(
                "work on rows has ended",
                metadata: [
                    "work": "\(work.name)", "collection": "\(work.collection)", "changed": "\(batch.place.changed)",
                ])
        }
    }
}

/// How far a process looked for the rows of each work.
private final class SeenPlaces: Sendable {
    private let positions = Mutex<[String: Int]>([:])

    func position(of work: RowWork) -> Int { positions.withLock { $0[Self.key(work)] ?? 0 } }

    /// - Returns: Whether it is the first look of this process that found no row.
    func advance(to position: Int, of work: RowWork) -> Bool {
        positions.withLock { positions in
            let old = positions.updateValue(position, forKey: Self.key(work))
            return old == nil
        }
    }

    private static func key(_ work: RowWork) -> String { "\(work.collection) \(work.name)" }
}
