-- Fills an empty, migrated database with a journal of :entries entries and their change log, in the shape that the service
-- writes: ids in the order of time, and a transaction for each entry, whose id is in its version. The service raises the base of
-- its versions above these when it starts. The digest of the synchronisation stays empty.
-- psql -v entries=5000000 -f Scripts/lib/large_journal.sql postgres://…
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET maintenance_work_mem = '256MB';
SELECT setseed(0.5);
-- Indexes are made again afterwards, which is faster.
CREATE TEMPORARY TABLE dropped AS
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
FROM pg_index WHERE indrelid IN ('journal_entries'::regclass, 'sync_change'::regclass) AND NOT indisunique;
SELECT format('DROP INDEX %s', name) FROM dropped \gexec
CREATE TEMPORARY VIEW entry AS
SELECT n, n << 16 | 1 AS version,
    -- Version 7 of RFC 9562: 48 bits of time, then random bits.
    lpad(to_hex(at >> 16), 8, '0') || '-' || lpad(to_hex(at & 65535), 4, '0') || '-7' || substr(noise, 1, 3) || '-8'
        || substr(noise, 4, 3) || '-' || substr(noise, 7, 12) AS id,
    noise, at
FROM (
    SELECT n, md5(n::text) AS noise, 1600000000000 + n * 31557 + (n * 7919) % 1000 AS at
    FROM generate_series(1::bigint, :entries) AS n
) AS numbered;
INSERT INTO journal_entries (id, host, severity, text, occurred_at, version, updated_at)
SELECT id, 'host' || n * 31 % 400, (ARRAY['info', 'info', 'info', 'warning', 'critical'])[1 + n % 5],
    'Entry ' || n || ' of a large journal: ' || repeat(noise || ' ', (1 + n % 4)::int), at, version, at
FROM entry;
INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket)
SELECT 'journal_entries', id, version, at, 0, n % 256 FROM entry;
SELECT definition FROM dropped \gexec
VACUUM (ANALYZE) journal_entries;
VACUUM (ANALYZE) sync_change;
SELECT count(*) AS entries, pg_size_pretty(pg_database_size(current_database())) AS size FROM journal_entries;
