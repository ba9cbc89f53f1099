import GRDB

extension OfflineRow {
    /// Stores the row, over the one with its id if there is one.
    ///
    /// GRDB's `upsert` does the same, and has SQLite compile its statement each time.
    ///
    /// - Parameter isNew: Whether no row with this id is expected.
    func put(in db: Database, isNew: Bool = false) throws {
        if isNew {
            do { return try insert(db) } catch let error as DatabaseError
                where error.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY
            {}
        }
        let values = try databaseDictionary.sorted { $0.key < $1.key }
        let names = values.map(\.key.quotedDatabaseIdentifier)
        let updates = names.filter { $0 != "\"id\"" }.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let sql = """
            INSERT INTO \(Self.databaseTableName.quotedDatabaseIdentifier) (\(names.joined(separator: ", ")))
            VALUES (?\(String(repeating: ", ?", count: names.count - 1)))
            ON CONFLICT (id) DO \(updates.isEmpty ? "NOTHING" : "UPDATE SET \(updates)")
            """
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values.map(\.value)))
    }
}
