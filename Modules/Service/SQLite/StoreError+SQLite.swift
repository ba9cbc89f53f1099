import GRDB
import StrataService

extension StoreError {
    /// The error of the port for an error of SQLite. Messages have table and column names, never values.
    init(_ error: DatabaseError) {
        let message = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: self = .constraint(message)
        case .SQLITE_FULL: self = .full(message)
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY, .SQLITE_LOCKED,
            .SQLITE_NOMEM, .SQLITE_PERM:
            self = .unavailable(message)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .unavailable("the database is damaged: \(message)")
        case .SQLITE_MISUSE where message.contains("closed"):
            self = .unavailable(message)
        case .SQLITE_ERROR where message.hasPrefix("no such table"):
            self = .failed(
                "The database was not migrated, or another program wrote it (\(message)); check its path, or run 'migrate'."
            )
        default: self = .failed("\(message) (\(error.extendedResultCode.rawValue)) in: \(error.sql ?? "no statement")")
        }
    }
}
