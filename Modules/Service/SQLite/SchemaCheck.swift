import GRDB
import StrataService

/// Compares the schema of a database with that of its migrations.
enum SchemaCheck {
    /// - Throws: `StoreError.failed` naming what is missing, a table before its columns.
    static func requireComplete(
        _ database: Database, after migrations: [StoreMigration], at path: String
    ) throws {
        let model = try DatabaseQueue()
        let expected = try model.write { database in
            for statement in migrations.flatMap(\.statements) { try database.execute(sql: statement) }
            return try parts(of: database)
        }
        guard let missing = expected.subtracting(try parts(of: database)).min() else { return }
        throw StoreError.failed(
            "The database '\(path)' lacks \(missing.words), which its migrations created: it was edited or is "
                + "damaged. Restore a backup.")
    }

    /// A table, an index, or a column.
    private struct Part: Hashable, Comparable {
        var kind: String
        var name: String
        var column: String?

        var words: String { column.map { "the column '\($0)' of \(name)" } ?? "the \(kind) '\(name)'" }

        /// Tables come before their columns.
        static func < (one: Part, other: Part) -> Bool { one.order.lexicographicallyPrecedes(other.order) }
        private var order: [String] { [column == nil ? "0" : "1", kind == "table" ? "0" : "1", name, column ?? ""] }
    }

    private static func parts(of database: Database) throws -> Set<Part> {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, NULL AS column FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'
                UNION ALL
                SELECT m.type, m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
                WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
                """)
        return Set(rows.map { Part(kind: $0[0], name: $0[1], column: $0[2]) })
    }
}
