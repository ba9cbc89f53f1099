import StrataConcurrency

/// The oldest open transaction that writes. Synchronisation shows no change of it and of later ones.
final class OldestWriter: Sendable {
    private struct Seen {
        var id: String
        var since: ContinuousClock.Instant
        var last: ContinuousClock.Instant
    }

    private let seen = Mutex<Seen?>(nil)

    /// The ids of the oldest open transaction and of the next one, which are equal when none is open.
    ///
    /// Any role may ask this. `pg_stat_activity` shows other roles only who is there.
    static let query = """
        SELECT pg_snapshot_xmin(s)::text || ' ' || pg_snapshot_xmax(s)::text FROM pg_current_snapshot() s
        """

    /// Takes the answer to `query`.
    func note(_ answer: String?, at now: ContinuousClock.Instant) {
        let ids = (answer ?? "").split(separator: " ").map(String.init)
        seen.withLock { seen in
            guard ids.count == 2, ids[0] != ids[1] else {
                seen = nil
                return
            }
            if seen?.id == ids[0] { seen?.last = now } else { seen = Seen(id: ids[0], since: now, last: now) }
        }
    }

    /// Nothing is known without a connection.
    func forget() { seen.withLock { $0 = nil } }

    /// The time between the first and the last look at which the transaction was open; zero for one that was seen once.
    var age: Duration { seen.withLock { $0.map { $0.since.duration(to: $0.last) } ?? .zero } }

    /// A sentence for operators; `nil` while nothing waits for long.
    var notice: String? {
        let age = age
        guard age >= .seconds(5) else { return nil }
        return """
            Synchronisation waits: a transaction that writes has been open for \(age.components.seconds) s, here or in another \
            program of the database server. See pg_stat_activity (backend_xid).
            """
    }
}
