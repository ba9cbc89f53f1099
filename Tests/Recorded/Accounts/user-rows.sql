CREATE TABLE app_user (
    id TEXT NOT NULL PRIMARY KEY, username TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
    password_hash TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, email TEXT);
INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at,email) VALUES ('<id-2>','root','admin','<password_hash>',1795251600000,1795251600000,NULL);
INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at,email) VALUES ('<id-1>','ada','member','<password_hash>',1795251600000,1795251600000,NULL);
INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at,email) VALUES ('<id-4>','bob','member','<password_hash>',1795251661500,1795251661500,NULL);
