import CLibPQ
import Logging
import StrataService

/// Ends sessions of this service that have waited for their replica for `PostgresWaits.standstill` inside of a write. They keep rows
/// locked, and hold synchronisation up. PostgreSQL has no limit for a replica that stops in the middle of a message or of a result.
///
/// Only sessions of the same role and the same application name are ended, so transactions of other programs are left alone.
enum Standstill {
    enum Finding {
        /// Sessions were ended.
        case ended
        /// A session waits for its replica, not for long yet.
        case waits
        case nothing
    }

    static func end(_ waits: PostgresWaits, on connection: PostgresConnection, _ logger: Logger) throws -> Finding {
        var (ended, others): ([String], Int) = ([], 0)
        try connection.run(
            """
            SELECT a.pid, CASE WHEN a.state_change < clock_timestamp() - interval '\(waits.standstill.wholeMilliseconds) milliseconds'
                THEN pg_terminate_backend(a.pid) END
            FROM pg_catalog.pg_stat_activity a
            WHERE a.datname = current_database() AND a.usename = current_user AND a.backend_xid IS NOT NULL
                AND a.application_name = current_setting('application_name') AND a.pid <> pg_backend_pid()
                AND a.wait_event IN ('ClientRead', 'ClientWrite')
            """
        ) { result in
            for row in 0..<PQntuples(result) {
                guard let process = PQgetvalue(result, row, 0) else { continue }
                if PQgetisnull(result, row, 1) == 0 { ended.append(String(cString: process)) } else { others += 1 }
            }
        }
        for session in ended {
            logger.warning(
                "the session of a replica that stood still inside of a write was ended",
                metadata: ["session": "\(session)"])
        }
        return ended.isEmpty ? (others > 0 ? .waits : .nothing) : .ended
    }
}
