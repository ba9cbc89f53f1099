CREATE TABLE runbook (
    id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL,
    searchable TEXT NOT NULL, version BIGINT NOT NULL, updated_at BIGINT NOT NULL);
CREATE INDEX runbook_by_title ON runbook (title, id);
INSERT INTO runbook (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-1>','Disk full','2.',' ','disk full'||char(10)||'2.',3,1795251661500);
INSERT INTO runbook (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-3>','Été','DISK',' ','été'||char(10)||'disk',1,1795251601500);
