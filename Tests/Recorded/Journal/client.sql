CREATE TABLE client (
    id INTEGER PRIMARY KEY CHECK (id = 1), client_id TEXT NOT NULL, last_seq INTEGER NOT NULL);
CREATE TABLE conflict (
    id TEXT PRIMARY KEY, collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, data TEXT, fields TEXT NOT NULL, reason TEXT NOT NULL,
    created_at INTEGER NOT NULL, UNIQUE (collection, entity_id));
CREATE TABLE cursor (
    id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT, collections TEXT NOT NULL,
    round INTEGER NOT NULL DEFAULT 0, replacing INTEGER NOT NULL DEFAULT 0, last_synced_at INTEGER, page TEXT);
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE journal_entries (
    id TEXT PRIMARY KEY, host TEXT, severity TEXT, text TEXT,
    occurred_at INTEGER, runbook_id TEXT, author TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE "outbox" (
    client_seq INTEGER PRIMARY KEY, mutation_id TEXT NOT NULL, collection TEXT NOT NULL,
    entity_id TEXT NOT NULL, operation TEXT NOT NULL, base_version INTEGER, fields TEXT NOT NULL,
    at INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER, error TEXT);
CREATE TABLE deferred_row (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    data TEXT, PRIMARY KEY (collection, entity_id));
CREATE TABLE seen (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
CREATE TABLE "base_row" (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    data TEXT NOT NULL, round INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
INSERT INTO client VALUES (1, 'da7b111d-05a6-4ea1-8717-2f07c5b3e35c', 4);
INSERT INTO conflict VALUES ('01a1fd55-7a80-7163-a7ff-0d388687ffb2', 'journal_entries', 'e3', 5, 1795251600004, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","severity":"info","text":"Theirs"}', '["text"]', 'Changed here and on the server: text.', 1795251600000);
INSERT INTO cursor VALUES (1, 'xbJTDi40B-gwODY5OGNiNC1kZTNkLTQ0YWYtODY2YS00MGE5ZjIyMGQwNGQAMDc2MWU4Yjc5NGRjMjRmZgAzNTlhMjllYjBlNDg3NzZiADUAAA', 'journal_entries', 1, 0, 1795251600000, NULL);
INSERT INTO grdb_migrations VALUES ('offline/1');
INSERT INTO grdb_migrations VALUES ('journal_entries/1');
INSERT INTO journal_entries VALUES ('bad', 'two words', 'info', 'Refused', 1795249800000, NULL, NULL, 0, 1795251600000);
INSERT INTO journal_entries VALUES ('e1', 'web1', 'warning', 'disk "/" full 🚒
	second line', 1795258799250, 'rb-1', NULL, 1, 1795251600000);
INSERT INTO journal_entries VALUES ('e3', 'web1', 'info', 'Ours', 1795258799250, NULL, NULL, 3, 1795251600000);
INSERT INTO journal_entries VALUES ('e4', 'web2', 'info', 'Edited', 1795258799250, 'rb-2', NULL, 4, 1795251600000);
INSERT INTO journal_entries VALUES ('queued', 'web1', 'warning', 'Waits', 1795258799250, NULL, NULL, 0, 1795251600000);
INSERT INTO outbox VALUES (5, '01a1fd55-7a80-7c6d-b061-6f2f48dce01c', 'journal_entries', 'e3', 'patch', 3, '{"text":"Ours"}', 1795251600000, 'conflicted', 0, NULL, NULL);
INSERT INTO outbox VALUES (6, '01a1fd55-7a80-70f5-bf8c-59bb003553c1', 'journal_entries', 'bad', 'create', NULL, '{"host":"two words","occurred_at":"2026-11-21T08:30:00.000Z","severity":"info","text":"Refused"}', 1795251600000, 'rejected', 0, NULL, 'The journal entry was not accepted. (host must not contain spaces)');
INSERT INTO outbox VALUES (7, '01a1fd55-7a80-78f8-b0af-3ce429ca1790', 'journal_entries', 'queued', 'create', NULL, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","severity":"warning","text":"Waits"}', 1795251600000, 'pending', 0, NULL, NULL);
INSERT INTO outbox VALUES (8, '01a1fd55-7a80-7aaf-a7cd-5f9ec8c694cc', 'journal_entries', 'e4', 'patch', 4, '{"host":"web2","runbook_id":"rb-2","severity":"info"}', 1795251600000, 'pending', 0, NULL, NULL);
INSERT INTO outbox VALUES (9, '01a1fd55-7a80-7e14-9180-b23a1075b77f', 'journal_entries', 'e2', 'delete', 2, '{}', 1795251600000, 'pending', 0, NULL, NULL);
INSERT INTO base_row VALUES ('journal_entries', 'e1', 1, 1795251600000, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","runbook_id":"rb-1","severity":"warning","text":"disk \"/\" full 🚒\n\tsecond line"}', 1, 2114922456621304979);
INSERT INTO base_row VALUES ('journal_entries', 'e2', 2, 1795251600001, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","severity":"critical","text":"Removed"}', 1, 7622028259769238078);
INSERT INTO base_row VALUES ('journal_entries', 'e3', 3, 1795251600002, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","severity":"info","text":"Base"}', 1, -518763887655917803);
INSERT INTO base_row VALUES ('journal_entries', 'e4', 4, 1795251600003, '{"host":"web1","occurred_at":"2026-11-21T10:59:59.250Z","severity":"critical","text":"Edited"}', 1, -7331912080413583555);
CREATE INDEX journal_entries_by_occurred_at ON journal_entries (occurred_at DESC, id DESC);
CREATE INDEX outbox_queue ON outbox (collection, entity_id, client_seq);
CREATE INDEX outbox_stopped ON outbox (state) WHERE state IN ('conflicted', 'rejected');
CREATE TRIGGER outbox_gone AFTER DELETE ON outbox WHEN old.client_seq > (SELECT last_seq FROM client) BEGIN
    UPDATE client SET last_seq = old.client_seq;
END;
PRAGMA user_version = 0;
