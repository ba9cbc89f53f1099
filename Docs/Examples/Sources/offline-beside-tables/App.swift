import GRDB

/// The app as it is without Strata: its database, its tables, and a screen that joins two of them.
enum App {
    static func database(_ path: String, version: Int) throws -> DatabasePool {
        let pool = try DatabasePool(path: path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("app-1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE task (id TEXT PRIMARY KEY, title TEXT NOT NULL);
                    CREATE TABLE label (task TEXT PRIMARY KEY REFERENCES task ON DELETE CASCADE, colour TEXT NOT NULL);
                    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
                    INSERT INTO task VALUES ('a', 'Call Bob');
                    INSERT INTO label VALUES ('a', 'red');
                    INSERT INTO setting VALUES ('theme', 'dark');
                    """)
        }
        if version > 1 {
            migrator.registerMigration("app-2") { db in
                try db.execute(sql: "ALTER TABLE task ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
                try db.execute(sql: "UPDATE task SET pinned = 1 WHERE id = 'a'")
            }
        }
        try migrator.migrate(pool)
        return pool
    }

    /// The screen: each task with its label.
    static func screen(_ db: Database) throws -> String {
        let sql = """
            SELECT title || coalesce(' (' || colour || ')', '')
            FROM task LEFT JOIN label ON label.task = task.id ORDER BY title
            """
        return try String.fetchAll(db, sql: sql).joined(separator: ", ")
    }
}
