-- The plans of the queries of a page, in a database that large_journal.sql has filled.
\pset tuples_only on
\echo A page of the journal
EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM journal_entries WHERE (occurred_at, id) < (1680000000000, 'f')
ORDER BY occurred_at DESC, id DESC LIMIT 51;
\echo A page of one host
EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM journal_entries
WHERE host = 'host77' AND (occurred_at, id) < (1680000000000, 'f') ORDER BY occurred_at DESC, id DESC LIMIT 51;
-- Versions have the id of a transaction in the bits above 16.
\echo The end of the changes
EXPLAIN (ANALYZE, COSTS OFF) SELECT MAX(version) FROM sync_change WHERE version <= 5000000::bigint << 16 | 65535;
\echo A page of changes
EXPLAIN (ANALYZE, COSTS OFF) SELECT collection, entity_id, version, updated_at, deleted FROM sync_change
WHERE version > 2500000::bigint << 16 AND version <= 5000000::bigint << 16 | 65535 AND (deleted = 0 OR 1 = 1)
    AND collection || '' IN ('journal_entries', 'runbooks')
ORDER BY version LIMIT 501;
\echo A piece of a snapshot
EXPLAIN (ANALYZE, COSTS OFF) SELECT entity_id, version, updated_at FROM sync_change
WHERE collection = 'journal_entries' AND entity_id > '0180' AND version <= 5000000::bigint << 16 | 65535 AND deleted = 0
ORDER BY entity_id LIMIT 500;
