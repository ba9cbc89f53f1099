public import StrataService

extension PostgresStore: CopyableStore {
    public func tables(in reader: any StoreReader) throws -> [StoreTable] {
        // A partition is read through its table.
        let columns = try reader.rows(
            """
            SELECT c.relname AS table_name, a.attname AS column_name,
                array_position(i.indkey::int2[], a.attnum) AS key_place
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            """)
        let references = try reader.rows(
            """
            SELECT c.relname AS table_name, p.relname AS parent_name FROM pg_catalog.pg_constraint k
            JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_class p ON p.oid = k.confrelid
            WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
            """)
        return try [StoreTable](columns: columns, references: references)
    }

    /// The connections of the same user under another application name than this store's.
    public func otherPrograms(in reader: any StoreReader) throws -> [String] {
        try reader.rows(
            """
            SELECT application_name FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
                AND pid <> pg_backend_pid() AND application_name <> current_setting('application_name')
            """
        ).map { try $0.text("application_name") }
    }
}
