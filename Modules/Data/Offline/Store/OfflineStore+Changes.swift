import GRDB
import StrataConcurrency
import StrataDomain
import StrataSystem

extension OfflineStore {
    /// One element now, and one after each change of a row of the collection or of its queue.
    ///
    /// A write of this process is seen at once, one of another process within `poll`. Elements that were not taken
    /// yet are merged into one.
    ///
    /// - Parameter poll: Default: 1 s.
    public func changes(
        in collection: String, poll: Duration = .seconds(1), on clock: any Clock<Duration> = ContinuousClock()
    ) -> AsyncStream<Void> {
        guard let table = database.collections[collection]?.table else { return AsyncStream { $0.finish() } }
        return changes(of: [table], poll, clock)
    }

    /// The same for all collections: one element now, and one whenever anything that is stored here changed.
    ///
    /// - Parameter poll: Default: 1 s.
    public func changes(
        poll: Duration = .seconds(1), on clock: any Clock<Duration> = ContinuousClock()
    ) -> AsyncStream<Void> {
        changes(of: database.collections.values.map(\.table), poll, clock)
    }

    private func changes(
        of tables: [String], _ poll: Duration, _ clock: any Clock<Duration>
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pool = database.writer
        let observation = DatabaseRegionObservation(tracking: (tables + ["outbox", "conflict"]).map { Table($0) })
        let task = Task {
            // Starting waits for the writer, so it happens away from the cooperative pool.
            let watch = await runBlocking {
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
