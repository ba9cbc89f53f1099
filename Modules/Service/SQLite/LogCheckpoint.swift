/// Empties the write-ahead log when it has become large.
///
/// SQLite's own checkpoint, after each 1,000 pages, waits for nobody: the log begins anew only if no read uses it. Under steady
/// load one always does, and the log grows without a bound (sqlite.org/wal.html, "Avoiding Excessively Large WAL Files"). This
/// checkpoint keeps the writer's turn until the reads that use the log have ended. Reads that begin meanwhile need the database
/// alone, so they do not prolong the wait.
struct LogCheckpoint {
    /// Bytes of the log at the first attempt.
    static let least = 16 << 20

    /// Bytes of the log at the next attempt. After one in vain it may grow by a quarter, so a read of minutes, such as that of a
    /// backup, delays few writes.
    private var due = Self.least

    /// Called between two transactions of the writer.
    ///
    /// - Parameter empty: Empties the log, unless a read uses it for longer than the given time.
    mutating func run(logSize size: Int, _ empty: (_ wait: Duration) -> Bool) {
        guard size >= due else { return }
        due = empty(Self.wait(at: size)) ? Self.least : size + size / 4
    }

    /// 100 ms at 16 MiB, and a second from 160 MiB on: the larger the log, the longer writes may wait.
    static func wait(at size: Int) -> Duration { .milliseconds(min(1000, 100 * size / least)) }
}
