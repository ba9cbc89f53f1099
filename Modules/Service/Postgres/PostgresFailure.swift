import CLibPQ
import StrataService

/// A failed statement or connection.
struct PostgresFailure: Error {
    /// The SQLSTATE (PostgreSQL documentation, appendix A); `nil` when the connection failed without one.
    let state: String?
    /// The primary message. It names tables and constraints.
    let message: String
    /// Whether the connection cannot be used any more.
    let isDisconnected: Bool
    /// The statement that failed, with placeholders; `nil` when it is not known.
    var sql: String?

    init(state: String?, message: String, isDisconnected: Bool) {
        self.state = state
        self.message = message
        self.isDisconnected = isDisconnected
    }

    /// The failure of a connection, from its last error.
    init(connection: OpaquePointer?) {
        let text = connection.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? "out of memory"
        let lines = text.split(separator: "\n").map(String.init)
        self.init(state: nil, message: lines.joined(separator: "; "), isDisconnected: true)
    }

    /// The failure that a result reports.
    init(result: OpaquePointer, connection: OpaquePointer) {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, CInt(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        // The codes of postgres_ext.h.
        let constraint = field("n").map { " (\($0))" } ?? ""
        self.init(
            state: field("C"), message: (field("M") ?? PostgresFailure(connection: connection).message) + constraint,
            isDisconnected: PQstatus(connection) != CONNECTION_OK)
    }

    static let noAnswer = PostgresFailure(state: nil, message: "the server does not answer", isDisconnected: true)
    static let aborted = PostgresFailure(state: "25P02", message: "", isDisconnected: false)

    /// Whether the statement ended because of a cancel request.
    var isCancelled: Bool { state == "57014" }

    /// Whether a lock was not free within `lock_timeout`.
    var isLockTimeout: Bool { state == "55P03" }

    /// Whether a prepared statement does not fit any more: a migration of another replica changed its columns, or a proxy
    /// between this program and the server forgot it.
    var isStale: Bool { state == "26000" || state == "0A000" && message.contains("cached plan") }

    /// Whether other transactions were in the way, and the whole transaction may be run again: a serialisation failure or a
    /// deadlock.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether the server does not have a function.
    var isMissingFunction: Bool { state == "42883" || state == "0A000" }

    /// Whether the row violates a constraint.
    var isViolation: Bool { state?.hasPrefix("23") == true }

    /// Whether the transaction may succeed when it is run again: after a serialisation failure, a deadlock, a lost connection
    /// (which rolls it back), or a stale statement.
    var isRetryable: Bool { isDisconnected || isStale || isConflict }

    /// The error of the store port. It contains no values.
    ///
    /// - Parameter statement: The statement, with placeholders, where the failure does not know it.
    func storeError(in statement: String? = nil) -> StoreError {
        let sql = sql ?? statement
        guard let state else { return .unavailable("the database cannot be reached: \(message)") }
        switch state {
        case "53100": return .full(message)
        case "25P02":
            return .failed("a statement failed and its error was caught without 'attempt', so nothing was committed")
        case "42P01", "3F000":
            return .failed(
                "The database was not migrated, or another program wrote it (\(message)); check its address, or run 'migrate'."
            )
        // A text that is too long for an index, from some 2,700 bytes on.
        case "54000": return .constraint(message)
        // A server that became read-only in a failover.
        case "25006", "25P03", "40001", "40P01": return .unavailable(message)
        default: break
        }
        switch state.prefix(2) {
        case "23": return .constraint(message)
        // Connections, authorisation, resources, other users of the object, operators, input and output.
        case "08", "28", "3D", "53", "55", "57", "58": return .unavailable(message)
        // The messages of this class repeat values.
        case "22": return .failed("a value has the wrong form or is out of range (\(state))\(Self.place(sql))")
        default:
            return isDisconnected ? .unavailable(message) : .failed("\(message) (\(state))\(Self.place(sql))")
        }
    }

    private static func place(_ sql: String?) -> String { sql.map { " in: \($0)" } ?? "" }
}
