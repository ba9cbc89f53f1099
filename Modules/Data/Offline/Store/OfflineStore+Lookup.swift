public import GRDB
public import StrataDomain

extension OfflineStore {
    /// Ids in a column that end or begin with `part`, as many as are needed to name some of them.
    ///
    /// Scans the whole index of the column: SQLite cannot look up the end of a text.
    public static func ids(with part: String, in column: String, of table: String, _ db: Database) throws -> [String] {
        let (name, length) = (column.quotedDatabaseIdentifier, part.count)
        let sql = """
            SELECT \(name) FROM \(table.quotedDatabaseIdentifier)
            WHERE substr(\(name), -?1) = ?2 OR substr(\(name), 1, ?1) = ?2 LIMIT 20
            """
        return try String.fetchAll(db, sql: sql, arguments: [length, part])
    }

    public func ids(with part: String) async throws(DomainError) -> [Mutation.ID] {
        try await read { try Self.ids(with: part, in: "mutation_id", of: "outbox", $0) }
    }
}
