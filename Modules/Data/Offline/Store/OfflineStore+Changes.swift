import GRDB
import StrataDomain
import Synchronization

extension OfflineStore {
    /// One element now and one whenever a row of the collection, or anything that is queued, changed.
    ///
    /// Writes of this process are noticed at once, those of other processes when `clock` has moved on by `poll`. Elements
    /// that nobody takes are merged into one.
    ///
    /// - Parameters:
    ///   - collection: `nil` for what is queued alone, of any collection.
    ///   - poll: Default: 1 s.
    public func changes(
        in collection: String? = nil, poll: Duration = .seconds(1), on clock: any Clock<Duration> = ContinuousClock()
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var tables = ["outbox", "conflict"]
        if let collection {
            guard let table = database.collections[collection]?.table else {
                continuation.finish()
                return stream
            }
            tables.append(table)
        }
        let pool = database.writer
        let observation = DatabaseRegionObservation(tracking: tables.map { Table($0) })
        let task = Task {
            // Starting waits for the writer, so it happens away from the cooperative pool.
            let watch = await OwnThread.run {
                observation.start(
                    in: pool, onError: { _ in continuation.finish() }, onChange: { _ in continuation.yield() })
            }
            // Not earlier: a write between the first element and the start would go unnoticed.
            continuation.yield()
            var known = await Self.foreignCommits(pool)
            while (try? await clock.sleep(for: poll)) != nil {
                let version = await Self.foreignCommits(pool)
                if version != known { continuation.yield() }
                known = version
            }
            watch.cancel()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// A number that changes when another process commits (sqlite.org/pragma.html#pragma_data_version): asked on the one
    /// connection that does all the writing of this process, it does not move for our own commits.
    private static func foreignCommits(_ pool: any DatabaseWriter) async -> Int? {
        try? await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }
}
