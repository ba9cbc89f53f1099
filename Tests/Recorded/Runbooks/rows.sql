CREATE TABLE runbooks (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    searchable TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL);
CREATE INDEX runbooks_by_title ON runbooks (title, id);
INSERT INTO runbooks (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-1>','Disk full','2.',' ','disk full'||char(10)||'2.',3,1795251661500);
INSERT INTO runbooks (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-3>','Été','DISK',' ','été'||char(10)||'disk',1,1795251601500);
