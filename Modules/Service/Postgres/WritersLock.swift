import CLibPQ
import StrataService

/// The advisory lock that a write takes and keeps until it is committed. One for each database.
enum WritersLock {
    private static let key = 91_749_106_738_273

    static let take = "pg_advisory_xact_lock(\(key))"

    /// The statements that begin a write. The value of the last one is the transaction's id.
    ///
    /// A replica that stands still between two statements must not keep the others waiting.
    static func opening(_ waits: PostgresWaits) -> [Statement] {
        let standstill = "\(waits.standstill.wholeMilliseconds)"
        return [
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            Statement(stringLiteral: "SET LOCAL idle_in_transaction_session_timeout = \(standstill)"),
            Statement(stringLiteral: "SELECT \(take), pg_current_xact_id()"),
        ]
    }

    /// Ends the session that has the lock if it has waited for its replica for `standstill`: PostgreSQL has no limit for a replica
    /// that stops in the middle of a message or of a result. Sessions of other users are left alone.
    ///
    /// - Returns: The process ids of the sessions that were ended.
    static func endStandstill(_ waits: PostgresWaits, on connection: PostgresConnection) throws -> [String] {
        try connection.begin([])
        var ended: [String] = []
        try connection.run(
            """
            SELECT a.pid, pg_terminate_backend(a.pid) FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.datname = current_database()
                AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
                AND l.classid::bigint = \(key >> 32) AND l.objid::bigint = \(key & 0xFFFF_FFFF)
                AND a.usename = current_user AND a.wait_event IN ('ClientRead', 'ClientWrite')
                AND a.state_change < clock_timestamp() - interval '\(waits.standstill.wholeMilliseconds) milliseconds'
            """
        ) { result in
            for row in 0..<PQntuples(result) {
                if let process = PQgetvalue(result, row, 0) { ended.append(String(cString: process)) }
            }
        }
        return ended
    }
}
