import StrataService

/// Keeps versions in order that other programs and migrations write, in a database that has the tables of synchronisation.
enum ChangeVersions {
    /// A program from before `ChangeOrder` counts in `sync_meta`, and would give versions that clients have passed. So its writes of synchronised
    /// rows are refused as unavailable; that program writes `last_at`, and this one does not.
    static func prepare(in transaction: any StoreTransaction) throws {
        guard try exists("sync_meta", in: transaction) else { return }
        let hasTrigger = try transaction.row(
            """
            SELECT 1 AS one FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
            WHERE t.tgname = 'sync_meta_refuse_older' AND c.relname = 'sync_meta'
                AND c.relnamespace = current_schema()::regnamespace
            """)
        guard hasTrigger == nil else { return }
        try transaction.execute(
            """
            CREATE OR REPLACE FUNCTION sync_refuse_older() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'a newer program orders the changes of this database; replace this one'
                    USING ERRCODE = '57P03';
            END $$
            """)
        try transaction.execute(
            """
            CREATE TRIGGER sync_meta_refuse_older BEFORE UPDATE ON sync_meta
            FOR EACH ROW WHEN (NEW.last_at IS DISTINCT FROM OLD.last_at) EXECUTE FUNCTION sync_refuse_older()
            """)
    }

    /// A migration may add changes with the versions after `sync_meta.seq`: those of its own transaction.
    static func beforeMigration(in transaction: any StoreTransaction) throws {
        let hasOrder = try transaction.row(
            """
            SELECT 1 AS one FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
            WHERE c.relname = 'sync_meta' AND c.relnamespace = current_schema()::regnamespace AND a.attname = 'base'
            """)
        guard hasOrder != nil else { return }
        try transaction.execute(
            """
            UPDATE sync_meta SET seq = (base + pg_current_xact_id()::text::bigint) * 65536 WHERE id = 1 AND base <> 0
            """)
    }

    private static func exists(_ name: String, in transaction: any StoreTransaction) throws -> Bool {
        try transaction.row(
            """
            SELECT 1 AS one FROM pg_catalog.pg_class
            WHERE relname = \(name) AND relnamespace = current_schema()::regnamespace
            """) != nil
    }
}
