import StrataService

/// A table, an index, or a column of a schema. Tables come before their columns.
struct SchemaPart: Hashable, Comparable {
    let isTable: Bool
    let name: String
    let column: String?

    var words: String {
        column.map { "the column '\($0)' of \(name)" } ?? "the \(isTable ? "table" : "index") '\(name)'"
    }

    static func < (one: SchemaPart, other: SchemaPart) -> Bool { one.order.lexicographicallyPrecedes(other.order) }
    private var order: [String] { [column == nil ? "0" : "1", isTable ? "0" : "1", name, column ?? ""] }

    /// - Parameter schema: An SQL expression for the object id of a schema.
    static func parts(in schema: String, on connection: PostgresConnection) throws -> Set<SchemaPart> {
        var parts: Set<SchemaPart> = []
        // An operator may have divided a table or an index into partitions (`p`, `I`).
        try connection.run(
            Statement(
                stringLiteral: """
                    SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 1 ELSE 0 END AS is_table, c.relname AS name,
                        NULL AS attribute
                    FROM pg_catalog.pg_class c WHERE c.relnamespace = \(schema) AND c.relkind IN ('r', 'p', 'i', 'I')
                    UNION ALL
                    SELECT 1, c.relname, a.attname
                    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
                    WHERE c.relnamespace = \(schema) AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
                    """)
        ) { row in
            let column = try row.textIfAny("attribute")
            parts.insert(SchemaPart(isTable: try row.bool("is_table"), name: try row.text("name"), column: column))
            return true
        }
        return parts
    }
}
