import FoundationEssentials
import GRDB
import StrataHTTP

/// The engine's own tables. Each feature has a table of its own, whose rows follow from `base_row` and `outbox`: a row is its
/// base with its queue of unsynchronised writes on top.
enum EngineSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("offline/1") { try $0.execute(sql: tables) }
        return migrator
    }

    /// Gives a new database its name towards the server.
    static func prepare(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO client (id, client_id, last_seq) VALUES (1, ?, 0) ON CONFLICT DO NOTHING",
            arguments: [UUID.random().text])
        try db.execute(sql: "INSERT INTO cursor (id, collections) VALUES (1, '') ON CONFLICT DO NOTHING")
    }

    /// Whether the rows that `prepare` makes are there.
    static func isPrepared(_ db: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM client) AND EXISTS (SELECT 1 FROM cursor)"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    /// Every table of the engine.
    static let tableNames = [
        "meta", "client", "cursor", "base_row", "outbox", "deferred_row", "conflict", "seen", "remote_row",
        "remote_place",
    ]

    // Times are milliseconds since 1970, `data` and `fields` JSON objects with the keys of the wire.
    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

        CREATE TABLE client (
            id INTEGER PRIMARY KEY CHECK (id = 1), client_id TEXT NOT NULL, last_seq INTEGER NOT NULL);

        -- `round` counts replacement rounds; `replacing` is 1 while one is under way. `page` is the position in an incomplete snapshot.
        CREATE TABLE cursor (
            id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT, collections TEXT NOT NULL,
            round INTEGER NOT NULL DEFAULT 0, replacing INTEGER NOT NULL DEFAULT 0, last_synced_at INTEGER, page TEXT);

        -- The row as both sides last agreed on it: the base of every merge. Without a rowid, a row is found and written in one tree.
        CREATE TABLE base_row (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            data TEXT NOT NULL, round INTEGER NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;

        -- The mutations of one entity wait in the order of `client_seq`. A local write changes few pages: the last position
        -- follows from the outbox, `client` changes only when the entry with the last position is deleted, and the random ids of
        -- mutations have no index.
        CREATE TABLE outbox (
            client_seq INTEGER PRIMARY KEY, mutation_id TEXT NOT NULL, collection TEXT NOT NULL,
            entity_id TEXT NOT NULL, operation TEXT NOT NULL, base_version INTEGER, fields TEXT NOT NULL,
            at INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER, error TEXT);
        CREATE INDEX outbox_queue ON outbox (collection, entity_id, client_seq);
        -- Finds the few entries that wait for a user. All others wait to be sent: their count needs no scan of the table.
        CREATE INDEX outbox_stopped ON outbox (state) WHERE state IN ('conflicted', 'rejected');
        CREATE TRIGGER outbox_gone AFTER DELETE ON outbox WHEN old.client_seq > (SELECT last_seq FROM client) BEGIN
            UPDATE client SET last_seq = old.client_seq;
        END;

        -- A remote row that waits until the answer to a sent mutation is known; without `data` it is a tombstone.
        CREATE TABLE deferred_row (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            data TEXT, PRIMARY KEY (collection, entity_id));

        -- The remote side of an open conflict; base and local side follow from `base_row` and `outbox`.
        CREATE TABLE conflict (
            id TEXT PRIMARY KEY, collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL,
            updated_at INTEGER NOT NULL, data TEXT, fields TEXT NOT NULL, reason TEXT NOT NULL,
            created_at INTEGER NOT NULL, UNIQUE (collection, entity_id));

        -- The unsettled entities that the present replacement round brought: `deferred_row` and `conflict` have no column for it.
        CREATE TABLE seen (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;

        -- Rows of other APIs: the id, the revision and the entity tag that a local row has there. It outlives the row, so that later
        -- references find the id. `missing` is 1 for a row that a complete list did not have and that a user must confirm. `suspect` is
        -- the last position of a create with an unknown outcome, from a row that was fetched then: it may be what that create made.
        -- `sent_tag` is the tag with which `sent_write` was sent under its idempotency key: a repeat has the same, or none as well.
        CREATE TABLE remote_row (
            collection TEXT NOT NULL, entity_id TEXT NOT NULL, remote_id TEXT NOT NULL, revision TEXT, tag TEXT,
            missing INTEGER NOT NULL DEFAULT 0, suspect INTEGER, sent_write TEXT, sent_tag TEXT,
            PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
        CREATE UNIQUE INDEX remote_row_by_id ON remote_row (collection, remote_id);

        -- How far a collection of another API was read: the checkpoint, and the times of the last complete list and of the last pull.
        CREATE TABLE remote_place (
            collection TEXT PRIMARY KEY, checkpoint TEXT, listed_at INTEGER, pulled_at INTEGER) WITHOUT ROWID;
        """
}
