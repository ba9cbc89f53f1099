import FoundationEssentials
import GRDB

/// A SQLite database as the statements that make it.
enum DatabaseText {
    static func dump(_ path: String) throws -> String {
        try DatabaseQueue(path: path).read { db in
            let objects = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
                    ORDER BY type = 'table' DESC, type, name
                    """)
            let rows = try objects.filter { $0["type"] == "table" }.flatMap { object in
                let name: String = object["name"]
                let columns = try db.columns(in: name).map { "quote(\($0.name.quotedDatabaseIdentifier))" }
                let values = columns.joined(separator: " || ', ' || ")
                return try String.fetchAll(
                    db, sql: "SELECT \(values) FROM \(name.quotedDatabaseIdentifier) ORDER BY 1"
                ).map { "INSERT INTO \(name) VALUES (\($0));\n" }
            }
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            let statements = { (isTable: Bool) in
                objects.filter { ($0["type"] == "table") == isTable }.map { "\($0["sql"] as String);\n" }
            }
            return (statements(true) + rows + statements(false)).joined() + "PRAGMA user_version = \(version);\n"
        }
    }

    /// Makes the database that was dumped.
    static func load(_ text: String, at path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = WAL")
            try db.execute(sql: text)
        }
        try queue.close()
    }
}
