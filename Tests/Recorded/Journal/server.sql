CREATE TABLE idempotent_answer (
    id TEXT NOT NULL PRIMARY KEY, payload_hash TEXT NOT NULL, status BIGINT NOT NULL,
    headers TEXT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL);
CREATE TABLE journal_entry (
    id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
    occurred_at BIGINT NOT NULL, runbook_id TEXT, version BIGINT NOT NULL, updated_at BIGINT NOT NULL);
CREATE TABLE schema_migration (
    name TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL);
CREATE TABLE service_probe (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), at BIGINT NOT NULL);
CREATE TABLE sync_change (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, version BIGINT NOT NULL UNIQUE,
    updated_at BIGINT NOT NULL, deleted BIGINT NOT NULL, bucket BIGINT NOT NULL DEFAULT -1, PRIMARY KEY (collection, entity_id));
CREATE TABLE sync_client (
    owner TEXT NOT NULL, id TEXT NOT NULL, acked BIGINT NOT NULL, seen_at BIGINT NOT NULL,
    PRIMARY KEY (owner, id));
CREATE TABLE sync_digest (
    collection TEXT NOT NULL, bucket BIGINT NOT NULL, count BIGINT NOT NULL, low BIGINT NOT NULL,
    high BIGINT NOT NULL, PRIMARY KEY (collection, bucket));
CREATE TABLE sync_meta (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, seq BIGINT NOT NULL, last_at BIGINT NOT NULL DEFAULT 0);
CREATE TABLE sync_mutation (
    owner TEXT NOT NULL, id TEXT NOT NULL, payload_hash TEXT NOT NULL, result TEXT NOT NULL,
    at BIGINT NOT NULL, PRIMARY KEY (owner, id));
CREATE TABLE sync_pruned (id INTEGER PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
CREATE TABLE sync_timeline (
    place BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, started BIGINT NOT NULL, at BIGINT NOT NULL);
INSERT INTO idempotent_answer VALUES ('48d2b40786810c9465f27b73bb508c4e40c5bd1a3136043f480c0ebd8711b6bd', 'IMOUl0Pr+jz+bh0LiHDl6c7+5BaB1kRsNLnLX9GToQE=', 201, '[["ETag","\"4\""],["Content-Type","application/json"]]', '{"host":"web1","id":"e5","occurred_at":"2026-11-21T09:00:06.000Z","severity":"info","text":"once","updated_at":"2026-11-21T09:00:06.000Z","version":4}', 1795251606000);
INSERT INTO journal_entry VALUES ('e1', 'web1', 'warning', 'disk "/" full 🚒
	second line', 1795251900250, 'rb-1', 1, 1795251601000);
INSERT INTO journal_entry VALUES ('e4', 'web1', 'info', 'more', 1795251605000, NULL, 3, 1795251605000);
INSERT INTO journal_entry VALUES ('e5', 'web1', 'info', 'once', 1795251606000, NULL, 4, 1795251606000);
INSERT INTO journal_entry VALUES ('m1', 'web1', 'info', 'from the machine', 1795251609000, NULL, 5, 1795251609000);
INSERT INTO schema_migration VALUES ('core-1-idempotency', 1795377271412);
INSERT INTO schema_migration VALUES ('journal-1', 1795377271439);
INSERT INTO schema_migration VALUES ('service-1-probe', 1795377271416);
INSERT INTO schema_migration VALUES ('sync-1-change-log', 1795377271417);
INSERT INTO schema_migration VALUES ('sync-2-mutations', 1795377271424);
INSERT INTO schema_migration VALUES ('sync-3-digest', 1795377271427);
INSERT INTO schema_migration VALUES ('sync-4-timelines', 1795377271432);
INSERT INTO schema_migration VALUES ('sync-5-clients', 1795377271436);
INSERT INTO sync_change VALUES ('journal_entries', 'e1', 1, 1795251601000, 0, 187);
INSERT INTO sync_change VALUES ('journal_entries', 'e2', 6, 1795251613000, 1, 74);
INSERT INTO sync_change VALUES ('journal_entries', 'e4', 3, 1795251605000, 0, 113);
INSERT INTO sync_change VALUES ('journal_entries', 'e5', 4, 1795251606000, 0, 64);
INSERT INTO sync_change VALUES ('journal_entries', 'm1', 5, 1795251609000, 0, 244);
INSERT INTO sync_digest VALUES ('journal_entries', 113, 1, 584823498, 2361503206);
INSERT INTO sync_digest VALUES ('journal_entries', 187, 1, 1886523219, 1344335074);
INSERT INTO sync_digest VALUES ('journal_entries', 244, 1, 4120948852, 978914712);
INSERT INTO sync_digest VALUES ('journal_entries', 64, 1, 1642533214, 1045052742);
INSERT INTO sync_digest VALUES ('journal_entries', 74, 0, 0, 0);
INSERT INTO sync_meta VALUES (1, 'c24aea68-0eec-49dd-b844-b9be1d527326', 6, 1795251613000);
INSERT INTO sync_pruned VALUES (1, 0);
INSERT INTO sync_timeline VALUES (1, 'fa842a9e36753e99', 0, 1795251600000);
CREATE INDEX idempotent_answer_at ON idempotent_answer (at);
CREATE INDEX journal_entry_by_time ON journal_entry (occurred_at, id);
CREATE INDEX sync_change_deleted ON sync_change (deleted, updated_at);
CREATE INDEX sync_change_uncounted ON sync_change (collection, entity_id) WHERE bucket < 0;
CREATE INDEX sync_mutation_at ON sync_mutation (at);
PRAGMA user_version = 0;
