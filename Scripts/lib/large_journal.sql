-- Fills an empty, migrated database with a journal of :entries entries and their change log, in the shape that the service
-- writes: ids in the order of time, one version for each entry. The digest of the synchronisation stays empty.
-- psql -v entries=5000000 -f Scripts/lib/large_journal.sql postgres://…
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET maintenance_work_mem = '256MB';
SELECT setseed(0.5);
DROP INDEX journal_entry_by_time;
DROP INDEX journal_entry_by_host;
DROP INDEX sync_change_deleted;
CREATE TEMPORARY VIEW entry AS
SELECT n,
    -- Version 7 of RFC 9562: 48 bits of time, then random bits.
    lpad(to_hex(at >> 16), 8, '0') || '-' || lpad(to_hex(at & 65535), 4, '0') || '-7' || substr(noise, 1, 3) || '-8'
        || substr(noise, 4, 3) || '-' || substr(noise, 7, 12) AS id,
    noise, at
FROM (
    SELECT n, md5(n::text) AS noise, 1600000000000 + n * 31557 + (n * 7919) % 1000 AS at
    FROM generate_series(1::bigint, :entries) AS n
) AS numbered;
INSERT INTO journal_entry (id, host, severity, text, occurred_at, version, updated_at)
SELECT id, 'host' || n * 31 % 400, (ARRAY['info', 'info', 'info', 'warning', 'critical'])[1 + n % 5],
    'Entry ' || n || ' of a large journal: ' || repeat(noise || ' ', (1 + n % 4)::int), at, n, at
FROM entry;
INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket)
SELECT 'journal_entries', id, n, at, 0, n % 256 FROM entry;
UPDATE sync_meta SET seq = :entries, last_at = 1600000000000 + :entries * 31558::bigint;
CREATE INDEX journal_entry_by_time ON journal_entry (occurred_at, id);
CREATE INDEX journal_entry_by_host ON journal_entry (host, occurred_at, id);
CREATE INDEX sync_change_deleted ON sync_change (deleted, updated_at);
VACUUM (ANALYZE) journal_entry;
VACUUM (ANALYZE) sync_change;
SELECT count(*) AS entries, pg_size_pretty(pg_database_size(current_database())) AS size FROM journal_entry;
