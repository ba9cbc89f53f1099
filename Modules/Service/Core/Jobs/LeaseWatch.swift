/// Which attempts show no life, as one replica sees it; pure.
///
/// A replica counts by its own monotonic clock, so wall clocks that differ, or are set, end no attempt. It ends one whose row has had
/// the same sign of life for the whole lease. It must have looked all the time: after a pause, of its own or of the database, it counts
/// anew.
struct LeaseWatch: Sendable {
    private struct Sight: Sendable {
        let attempt: Int
        let beat: Int
        let since: Duration
    }

    let lease: Duration
    private var seen: [String: Sight] = [:]
    private var last: Duration?

    init(lease: Duration) { self.lease = lease }

    /// - Parameter now: Never less than before.
    /// - Returns: Those of `rows` whose replica has ended or stands still.
    mutating func expired(_ rows: [RunningJob], at now: Duration) -> [RunningJob] {
        if let last, now - last > lease * 2 / 3 { seen = [:] }
        last = now
        var sights: [String: Sight] = [:]
        let expired = rows.filter { row in
            let known = seen[row.id].flatMap { $0.attempt == row.attempt && $0.beat == row.beat ? $0 : nil }
            let sight = known ?? Sight(attempt: row.attempt, beat: row.beat, since: now)
            sights[row.id] = sight
            return now - sight.since >= lease
        }
        seen = sights
        return expired
    }
}
