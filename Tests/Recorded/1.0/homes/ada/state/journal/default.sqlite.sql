PRAGMA foreign_keys = OFF;
PRAGMA page_size = 4096;
PRAGMA auto_vacuum = 0;
PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = 'wal';
BEGIN TRANSACTION;
CREATE TABLE base_row (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    data TEXT NOT NULL, round INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
INSERT INTO "base_row" VALUES('journal_entries','01a21ae9-2f7f-7d9b-a371-2318947023a3',1,1795747819410,'{"author":"ada","host":"db1","occurred_at":"2026-11-21T09:05:00.000Z","runbook_id":"01a21ae9-2c6e-72e0-a682-9c57a5743ee2","severity":"warning","text":"Disk \"/\" full 🚒\n\tsecond line"}',1,-4052411830425747200);
INSERT INTO "base_row" VALUES('journal_entries','01a21ae9-30c8-7be3-8378-4eaf0e6d7184',2,1795747819733,'{"author":"ada","host":"db1","occurred_at":"2026-11-21T09:05:00.000Z","severity":"info","text":"Removed"}',1,-1484920154362360824);
INSERT INTO "base_row" VALUES('journal_entries','01a21ae9-31bf-778a-9542-1930b4eb80af',3,1795747820056,'{"author":"ada","host":"web1","occurred_at":"2026-11-21T09:05:00.000Z","severity":"info","text":"Base"}',1,9180371890618765934);
INSERT INTO "base_row" VALUES('journal_entries','01a21ae9-32c6-774c-9803-a3b260cad45f',4,1795747820256,'{"author":"ada","host":"web1","occurred_at":"2026-11-21T09:05:00.000Z","severity":"critical","text":"Edited"}',1,-6788214752723348285);
INSERT INTO "base_row" VALUES('journal_entries','from-web1',6,1795747821635,'{"author":"web1","host":"web1","occurred_at":"2026-11-21T09:06:00.000Z","severity":"info","text":"from the machine"}',1,-4137808906053662908);
CREATE TABLE client (
    id INTEGER PRIMARY KEY CHECK (id = 1), client_id TEXT NOT NULL, last_seq INTEGER NOT NULL);
INSERT INTO "client" VALUES(1,'ee0e70c4-94ce-485f-8ebe-58ebd3e048e4',5);
CREATE TABLE conflict (
    id TEXT PRIMARY KEY, collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, data TEXT, fields TEXT NOT NULL, reason TEXT NOT NULL,
    created_at INTEGER NOT NULL, UNIQUE (collection, entity_id));
INSERT INTO "conflict" VALUES('01a21ae9-3dcb-7ea0-8165-4a380e7a8724','journal_entries','01a21ae9-31bf-778a-9542-1930b4eb80af',7,1795747822219,'{"author":"ada","host":"web1","occurred_at":"2026-11-21T09:05:00.000Z","severity":"info","text":"Theirs"}','["text"]','Changed here and on the server: text.',1795747823051);
CREATE TABLE cursor (
    id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT, collections TEXT NOT NULL,
    round INTEGER NOT NULL DEFAULT 0, replacing INTEGER NOT NULL DEFAULT 0, last_synced_at INTEGER, page TEXT);
INSERT INTO "cursor" VALUES(1,'mKblg7hlU6BjOWQ0YTU3Ny0wMDEyLTQ2NWQtYjJmMi0zYmE4YWNlZDlmMTAAODk0ZTkwNjRiMTdmMmNlYgA3Zjc5YmZlNDYxODg1YjhmADgAAA','journal_entries',1,0,1795747823074,NULL);
CREATE TABLE deferred_row (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    data TEXT, PRIMARY KEY (collection, entity_id));
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('offline/1');
INSERT INTO "grdb_migrations" VALUES('journal_entries/1');
CREATE TABLE "journal_entries" (id TEXT PRIMARY KEY, "host" TEXT, "severity" TEXT, "text" TEXT, "occurred_at" INTEGER, "runbook_id" TEXT, author TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL);
INSERT INTO "journal_entries" VALUES('01a21ae9-2f7f-7d9b-a371-2318947023a3','db1','warning','Disk "/" full 🚒
	second line',1795251900000,'01a21ae9-2c6e-72e0-a682-9c57a5743ee2','ada',1,1795747819410);
INSERT INTO "journal_entries" VALUES('01a21ae9-31bf-778a-9542-1930b4eb80af','web1','info','Ours',1795251900000,NULL,'ada',3,1795747822885);
INSERT INTO "journal_entries" VALUES('01a21ae9-32c6-774c-9803-a3b260cad45f','web2','warning','Edited',1795251900000,NULL,'ada',4,1795747823728);
INSERT INTO "journal_entries" VALUES('from-web1','web1','info','from the machine',1795251960000,NULL,'web1',6,1795747821635);
INSERT INTO "journal_entries" VALUES('01a21ae9-42bb-7b9f-addf-f2a8b2ab51d0','db1','info','Waits for the network',1795251900000,NULL,NULL,0,1795747824315);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "meta" VALUES('account','01a21ae9-2901-7f9f-b0e3-64d576ba4ffd');
INSERT INTO "meta" VALUES('account-name','ada');
INSERT INTO "meta" VALUES('last-write','{"after":"{\"host\":\"db1\",\"occurred_at\":\"2026-11-21T09:05:00.000Z\",\"severity\":\"info\",\"text\":\"Waits for the network\"}","collection":"journal_entries","entity_id":"01a21ae9-42bb-7b9f-addf-f2a8b2ab51d0","is_without_trace":false}');
CREATE TABLE outbox (
    client_seq INTEGER PRIMARY KEY, mutation_id TEXT NOT NULL, collection TEXT NOT NULL,
    entity_id TEXT NOT NULL, operation TEXT NOT NULL, base_version INTEGER, fields TEXT NOT NULL,
    at INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER, error TEXT);
INSERT INTO "outbox" VALUES(6,'01a21ae9-3d25-7aa6-b0ec-77f8fc6fb167','journal_entries','01a21ae9-31bf-778a-9542-1930b4eb80af','patch',3,'{"text":"Ours"}',1795747822885,'conflicted',0,NULL,NULL);
INSERT INTO "outbox" VALUES(7,'01a21ae9-4070-783c-8abf-24bbab2c9d16','journal_entries','01a21ae9-32c6-774c-9803-a3b260cad45f','patch',4,'{"host":"web2","severity":"warning"}',1795747823728,'pending',0,NULL,NULL);
INSERT INTO "outbox" VALUES(8,'01a21ae9-40f8-76b9-9d82-71e965c9b178','journal_entries','01a21ae9-30c8-7be3-8378-4eaf0e6d7184','delete',2,'{}',1795747823864,'pending',0,NULL,NULL);
INSERT INTO "outbox" VALUES(9,'01a21ae9-42bb-7e11-bf14-e89d1b2a2284','journal_entries','01a21ae9-42bb-7b9f-addf-f2a8b2ab51d0','create',NULL,'{"host":"db1","occurred_at":"2026-11-21T09:05:00.000Z","severity":"info","text":"Waits for the network"}',1795747824315,'pending',0,NULL,NULL);
CREATE TABLE remote_place (
    collection TEXT PRIMARY KEY, checkpoint TEXT, listed_at INTEGER, pulled_at INTEGER) WITHOUT ROWID;
CREATE TABLE remote_row (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, remote_id TEXT NOT NULL, revision TEXT, tag TEXT,
    missing INTEGER NOT NULL DEFAULT 0, suspect INTEGER, sent_write TEXT, sent_tag TEXT,
    PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
CREATE TABLE seen (
    collection TEXT NOT NULL, entity_id TEXT NOT NULL, PRIMARY KEY (collection, entity_id)) WITHOUT ROWID;
CREATE INDEX outbox_queue ON outbox (collection, entity_id, client_seq);
CREATE INDEX outbox_stopped ON outbox (state) WHERE state IN ('conflicted', 'rejected');
CREATE TRIGGER outbox_gone AFTER DELETE ON outbox WHEN old.client_seq > (SELECT last_seq FROM client) BEGIN
    UPDATE client SET last_seq = old.client_seq;
END;
CREATE UNIQUE INDEX remote_row_by_id ON remote_row (collection, remote_id);
CREATE INDEX "journal_entries_by_occurred_at" ON "journal_entries" ("occurred_at" DESC, id DESC);
COMMIT;
PRAGMA application_id = 0;
PRAGMA user_version = 0;
