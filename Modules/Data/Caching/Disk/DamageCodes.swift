import GRDB
import GRDBSQLite

extension RecordReader.Failure {
    fileprivate var primary: Int32 { code & 0xFF }
    var isBusy: Bool { primary == ResultCode.SQLITE_BUSY.rawValue }
    var isDamage: Bool { ResultCode.ofDamage.contains { $0.rawValue == primary } }
}

extension ResultCode {
    /// The file itself is broken. Busy, full, locked and I/O errors are not here: the file may be healthy.
    fileprivate static let ofDamage: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT]
}

extension Error {
    /// Whether the file itself is broken or foreign.
    var isDamage: Bool {
        switch self {
        case is EntrySQL.ForeignTables: true
        case let error as DatabaseError: ResultCode.ofDamage.contains(error.resultCode)
        case let failure as RecordReader.Failure: failure.isDamage
        default: false
        }
    }
}
