import FoundationEssentials
import StrataDomain

/// How far each work on the rows is, and which rows it left as they are.
enum RowWorkLog {
    static let migration = StoreMigration(
        "row-work-1",
        """
        CREATE TABLE row_work (
            collection TEXT NOT NULL, name TEXT NOT NULL, position BIGINT NOT NULL, ended BIGINT NOT NULL,
            changed BIGINT NOT NULL, PRIMARY KEY (collection, name))
        """,
        // An operator reads it.
        """
        CREATE TABLE row_work_refusal (
            collection TEXT NOT NULL, name TEXT NOT NULL, entity_id TEXT NOT NULL, reason TEXT NOT NULL,
            at BIGINT NOT NULL, PRIMARY KEY (collection, name, entity_id))
        """
    )

    struct Place: Hashable {
        /// The version of the last row that was passed.
        var position = 0
        var hasEnded = false
        var changed = 0
    }

    static func place(of work: RowWork, in reader: any StoreReader) throws -> Place {
        let row = try reader.row(
            """
            SELECT position, ended, changed FROM row_work
            WHERE collection = \(work.collection) AND name = \(work.name)
            """)
        return try row.map {
            Place(position: try $0.int("position"), hasEnded: try $0.bool("ended"), changed: try $0.int("changed"))
        } ?? Place()
    }

    static func set(_ place: Place, of work: RowWork, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO row_work (collection, name, position, ended, changed)
            VALUES (\(work.collection), \(work.name), \(place.position), \(place.hasEnded), \(place.changed))
            ON CONFLICT (collection, name) DO UPDATE SET position = excluded.position, ended = excluded.ended,
                changed = excluded.changed
            """)
    }

    /// Notes why rows were left as they are, and forgets the others of `ids`.
    static func note(
        _ refusals: [(id: String, reason: String)], among ids: [String], of work: RowWork, at now: Date,
        in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM row_work_refusal
            WHERE collection = \(work.collection) AND name = \(work.name) AND entity_id IN (\(list: ids))
            """)
        for (id, reason) in refusals {
            try transaction.execute(
                """
                INSERT INTO row_work_refusal (collection, name, entity_id, reason, at)
                VALUES (\(work.collection), \(work.name), \(id), \(reason), \(now))
                """)
        }
    }
}
