CREATE TABLE host_token (
    id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL, last_used_at BIGINT);
INSERT INTO host_token (id,name,key_hash,created_at,last_used_at) VALUES ('<id-1>','web1','<key_hash>',1795251600000,1795251601500);
