public import StrataService

/// Other servers are kept out by the lock of `open(_:exclusive:)`.
extension SQLiteStore: CopyableStore {
    public func tables(in reader: any StoreReader) throws -> [StoreTable] {
        let columns = try reader.rows(
            """
            SELECT m.name AS table_name, c.name AS column_name, c.pk - 1 AS key_place
            FROM sqlite_master m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
            """)
        let references = try reader.rows(
            """
            SELECT m.name AS table_name, f."table" AS parent_name
            FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
            """)
        return try [StoreTable](columns: columns, references: references)
    }

    public var description: String { "sqlite:\(path)" }
}
