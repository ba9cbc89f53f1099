import FoundationEssentials
import StrataDomain

/// How far a copy has come, in tables of the target that exist until the copy is complete.
enum CopyProgress {
    /// Runs in the target before the migrations of the program. Each program refuses a database with an unknown migration, so
    /// no server starts on a part of a copy.
    static let migration = StoreMigration(
        StoreMigration.unfinishedCopy,
        "CREATE TABLE copy_source (id BIGINT NOT NULL PRIMARY KEY, epoch TEXT NOT NULL, position TEXT NOT NULL)",
        """
        CREATE TABLE copy_progress (
            name TEXT NOT NULL PRIMARY KEY, place TEXT NOT NULL, copied BIGINT NOT NULL, finished BIGINT NOT NULL)
        """
    )

    /// The tables that are not copied.
    static let ownTables: Set<String> = ["copy_source", "copy_progress", "schema_migration"]

    /// Identifies a database and its state: it changes with each start of a server and with each change of synchronised rows.
    struct Source: Sendable, Hashable {
        var epoch: String
        var position: String

        init(in reader: any StoreReader) throws {
            let position = try SyncTables.position(in: reader)
            var seq = position.seq
            if reader.concurrentWriters != nil {
                // Also of changes that clients do not see yet.
                seq = try reader.row("SELECT MAX(version) AS seq FROM sync_change")?.intIfAny("seq") ?? 0
            }
            (epoch, self.position) = (position.epoch, "\(position.timeline) \(seq) \(position.pruned)")
        }

        fileprivate init(_ row: StoreRow) throws {
            (epoch, position) = (try row.text("epoch"), try row.text("position"))
        }
    }

    /// How far one table is copied.
    struct Place: Sendable, Hashable {
        /// The key of the last row; `nil` before the first.
        var key: [StoreValue]?
        var rows = 0
        var isFinished = false

        /// The key as text.
        fileprivate var text: String {
            get throws(CopyError) {
                guard let key else { return "" }
                var texts: [String] = []
                for value in key {
                    switch value {
                    case .integer(let number): texts.append("i\(number)")
                    case .text(let text): texts.append("t\(text)")
                    case .null, .real, .blob: throw .withoutKey("")
                    }
                }
                return (try? WireJSON.encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
        }

        fileprivate init(_ row: StoreRow) throws {
            rows = try row.int("copied")
            isFinished = try row.bool("finished")
            let text = try row.text("place")
            guard !text.isEmpty else { return }
            key = try WireJSON.decode([String].self, from: Data(text.utf8)).map { text in
                guard text.hasPrefix("i") else { return .text(String(text.dropFirst())) }
                return .integer(Int(text.dropFirst()) ?? 0)
            }
        }

        init() {}
    }

    /// The source of the copy that has begun here; `nil` before its first row.
    static func source(in reader: any StoreReader) throws -> Source? {
        try reader.row("SELECT epoch, position FROM copy_source WHERE id = 1").map(Source.init)
    }

    static func begin(_ source: Source, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO copy_source (id, epoch, position) VALUES (1, \(source.epoch), \(source.position))
            ON CONFLICT (id) DO NOTHING
            """)
    }

    static func place(of table: StoreTable, in reader: any StoreReader) throws -> Place {
        try reader.row("SELECT place, copied, finished FROM copy_progress WHERE name = \(table.name)").map(Place.init)
            ?? Place()
    }

    /// Records a new place.
    ///
    /// - Returns: `false` when the table is no more at `old`, because another copy writes.
    static func advance(
        _ table: StoreTable, from old: Place, to new: Place, in transaction: any StoreTransaction
    ) throws -> Bool {
        let (name, place, finished) = (table.name, try new.text, new.isFinished)
        if old == Place() {
            return try transaction.execute(
                """
                INSERT INTO copy_progress (name, place, copied, finished)
                VALUES (\(name), \(place), \(new.rows), \(finished)) ON CONFLICT (name) DO NOTHING
                """) == 1
        }
        return try transaction.execute(
            """
            UPDATE copy_progress SET place = \(place), copied = \(new.rows), finished = \(finished)
            WHERE name = \(name) AND place = \(try old.text) AND finished = 0
            """) == 1
    }

    /// Makes the target a database like any other.
    static func end(in transaction: any StoreTransaction) throws {
        try transaction.execute("DROP TABLE copy_progress")
        try transaction.execute("DROP TABLE copy_source")
        try transaction.execute("DELETE FROM schema_migration WHERE name = \(migration.name)")
    }
}
