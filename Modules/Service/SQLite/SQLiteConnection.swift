import FoundationEssentials
import GRDB
import StrataService

/// Runs statements on one connection of the pool.
struct SQLiteConnection: StoreTransaction {
    let database: Database
    let watch: DatabaseWatch

    func forEachRow(of statement: StrataService.Statement, _ body: (StoreRow) throws -> Bool) throws {
        try watch.mapping {
            let prepared = try database.cachedStatement(sql: statement.sql { _ in "?" })
            let columns = Dictionary(
                zip(prepared.columnNames, prepared.columnNames.indices)
            ) { first, _ in first }
            let cursor = try Row.fetchCursor(prepared, arguments: try Self.arguments(statement))
            while let row = try cursor.next() {
                guard try body(StoreRow(columns: columns, values: row.databaseValues.map(StoreValue.init))) else {
                    return
                }
            }
        }
    }

    func execute(_ statement: StrataService.Statement) throws -> Int {
        try watch.mapping {
            let prepared = try database.cachedStatement(sql: statement.sql { _ in "?" })
            try prepared.execute(arguments: try Self.arguments(statement))
            return database.changesCount
        }
    }

    private static func arguments(_ statement: StrataService.Statement) throws -> StatementArguments {
        StatementArguments(try statement.values.map { try DatabaseValue($0) })
    }
}

extension DatabaseValue {
    /// - Throws: `StoreError.constraint` for text with NUL: SQLite truncates it, and other engines refuse it.
    fileprivate init(_ value: StoreValue) throws {
        switch value {
        case .null: self = .null
        case .integer(let number): self = Int64(number).databaseValue
        case .real(let number): self = number.databaseValue
        case .text(let text):
            guard !text.utf8.contains(0) else { throw StoreError.constraint("text must not contain NUL") }
            self = text.databaseValue
        case .blob(let bytes): self = bytes.databaseValue
        }
    }
}

extension StoreValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(Int(number))
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        }
    }
}
