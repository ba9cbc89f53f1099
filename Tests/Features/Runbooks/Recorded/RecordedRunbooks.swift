/// Written by the version before runbooks were an entity; see `WireTranscript`.
enum RecordedRunbooks {
    static let responses = ##"""
        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"Disk \"full\" 100% 🚒","body":"# Steps\r\n\t1. `df -h` \\ é\n","tags":["disk","db-1"]}
        201
        Content-Type: application/json
        ETag: "1"
        {"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1}

        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"Certificate","body":"Renew it."}
        201
        Content-Type: application/json
        ETag: "1"
        {"body":"Renew it.","id":"<id-2>","tags":[],"title":"Certificate","updated_at":"2026-11-21T09:00:01.500Z","version":1}

        POST /v1/runbooks
        Authorization: Bearer ada
        Idempotency-Key: one
        {"title":"Été","body":"DISK","tags":[]}
        201
        Content-Type: application/json
        ETag: "1"
        {"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}

        POST /v1/runbooks
        Authorization: Bearer ada
        Idempotency-Key: one
        {"title":"Été","body":"DISK","tags":[]}
        201
        Content-Type: application/json
        ETag: "1"
        {"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}

        GET /v1/runbooks
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"Renew it.","id":"<id-2>","tags":[],"title":"Certificate","updated_at":"2026-11-21T09:00:01.500Z","version":1},{"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1},{"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?limit=2
        Authorization: Bearer ada
        200
        cursor ["runbooks","Disk \"full\" 100% 🚒","<id-1>"]
        Cache-Control: private, no-cache
        Content-Type: application/json
        Link: </v1/runbooks?limit=2&cursor=<cursor-1>>; rel="next"
        {"items":[{"body":"Renew it.","id":"<id-2>","tags":[],"title":"Certificate","updated_at":"2026-11-21T09:00:01.500Z","version":1},{"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1}],"next_cursor":"<cursor-1>"}

        GET /v1/runbooks?limit=2&cursor=<cursor-1>
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?tag=disk
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?q=di%53k
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1},{"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?q=%C3%89T%C3%89
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?tag=disk&q=x
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[],"next_cursor":null}

        GET /v1/runbooks/<id-1>
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        ETag: "1"
        {"body":"# Steps\r\n\t1. `df -h` \\ é\n","id":"<id-1>","tags":["disk","db-1"],"title":"Disk \"full\" 100% 🚒","updated_at":"2026-11-21T09:00:00.000Z","version":1}

        GET /v1/runbooks/<id-1>
        Authorization: Bearer ada
        If-None-Match: "1"
        304
        Cache-Control: private, no-cache
        ETag: "1"

        PUT /v1/runbooks/<id-1>
        Authorization: Bearer ada
        {"title":"Disk full","body":"1. Look.","tags":["disk","night"]}
        428
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"if_match_required","detail":"Send If-Match with the ETag you read.","request_id":"","status":428,"title":"Precondition required","type":"about:blank"}

        PUT /v1/runbooks/<id-1>
        Authorization: Bearer ada
        If-Match: "7"
        {"title":"Disk full","body":"1. Look.","tags":["disk","night"]}
        412
        Cache-Control: no-store
        Content-Type: application/problem+json
        ETag: "1"
        {"code":"version_mismatch","detail":"The runbook '<id-1>' was changed after you read it; read it again and repeat the edit.","request_id":"","status":412,"title":"Changed since you read it","type":"about:blank"}

        PUT /v1/runbooks/<id-1>
        Authorization: Bearer ada
        If-Match: "1"
        {"title":"Disk full","body":"1. Look.","tags":["disk","night"]}
        200
        Content-Type: application/json
        ETag: "2"
        {"body":"1. Look.","id":"<id-1>","tags":["disk","night"],"title":"Disk full","updated_at":"2026-11-21T09:01:01.500Z","version":2}

        PUT /v1/runbooks/<id-1>
        Authorization: Bearer ada
        If-Match: "2"
        {"title":"Disk full","body":"2."}
        200
        Content-Type: application/json
        ETag: "3"
        {"body":"2.","id":"<id-1>","tags":[],"title":"Disk full","updated_at":"2026-11-21T09:01:01.500Z","version":3}

        DELETE /v1/runbooks/<id-2>
        Authorization: Bearer ada
        428
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"if_match_required","detail":"Send If-Match with the ETag you read.","request_id":"","status":428,"title":"Precondition required","type":"about:blank"}

        DELETE /v1/runbooks/<id-2>
        Authorization: Bearer ada
        If-Match: "2"
        412
        Cache-Control: no-store
        Content-Type: application/problem+json
        ETag: "1"
        {"code":"version_mismatch","detail":"The runbook '<id-2>' was changed after you read it; read it again and repeat the edit.","request_id":"","status":412,"title":"Changed since you read it","type":"about:blank"}

        DELETE /v1/runbooks/<id-2>
        Authorization: Bearer ada
        If-Match: "1"
        204

        GET /v1/runbooks/<id-2>
        Authorization: Bearer ada
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no runbook '<id-2>'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        GET /v1/runbooks
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"2.","id":"<id-1>","tags":[],"title":"Disk full","updated_at":"2026-11-21T09:01:01.500Z","version":3},{"body":"DISK","id":"<id-3>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}
        """##

    static let rows = ##"""
        CREATE TABLE runbook (
            id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL,
            searchable TEXT NOT NULL, version BIGINT NOT NULL, updated_at BIGINT NOT NULL);
        CREATE INDEX runbook_by_title ON runbook (title, id);
        INSERT INTO runbook (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-1>','Disk full','2.',' ','disk full'||char(10)||'2.',3,1795251661500);
        INSERT INTO runbook (id,title,body,tags,searchable,version,updated_at) VALUES ('<id-3>','Été','DISK',' ','été'||char(10)||'disk',1,1795251601500);
        """##

    static let problems = ##"""
        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"","body":"","tags":["A","b b"]}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The runbook was not accepted.","errors":[{"field":"title","message":"must have 1 to 200 bytes; it is empty"},{"field":"body","message":"must have 1 to 262144 bytes; it is empty"},{"field":"tags.0","message":"must be 1 to 40 of a-z, 0-9 and '-'"},{"field":"tags.1","message":"must be 1 to 40 of a-z, 0-9 and '-'"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {"title":"","body":"","tags":["A","b b"]}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The runbook was not accepted.","errors":[{"field":"title","message":"must have 1 to 200 bytes; it is empty"},{"field":"body","message":"must have 1 to 262144 bytes; it is empty"},{"field":"tags.0","message":"must be 1 to 40 of a-z, 0-9 and '-'"},{"field":"tags.1","message":"must be 1 to 40 of a-z, 0-9 and '-'"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"a\nb","body":"x","tags":["a","a"]}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The runbook was not accepted.","errors":[{"field":"title","message":"must be one line"},{"field":"tags","message":"must not repeat"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {"title":"a\nb","body":"x","tags":["a","a"]}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The runbook was not accepted.","errors":[{"field":"title","message":"must be one line"},{"field":"tags","message":"must not repeat"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"a"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"body","message":"is missing; send a value"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {"title":"a"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"body","message":"is missing; send a value"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":7,"body":"x"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"title","message":"must be a string"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {"title":7,"body":"x"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"title","message":"must be a string"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        {"title":"a","body":"x","tags":"disk"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"tags","message":"must be an array"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {"title":"a","body":"x","tags":"disk"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"tags","message":"must be an array"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        []
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"body","message":"must be an object"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        []
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"body","message":"must be an object"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/runbooks
        Authorization: Bearer ada
        {
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"malformed_body","detail":"The body cannot be read: it is not valid JSON in UTF-8.","request_id":"","status":400,"title":"Unreadable body","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        If-Match: "1"
        {
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"malformed_body","detail":"The body cannot be read: it is not valid JSON in UTF-8.","request_id":"","status":400,"title":"Unreadable body","type":"about:blank"}

        GET /v1/runbooks?limit=0
        Authorization: Bearer ada
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"limit","message":"must be 1 to 200; it is 0"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/runbooks?limit=x
        Authorization: Bearer ada
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_parameter","detail":"query 'limit' must be an integer.","errors":[{"field":"limit","message":"must be an integer"}],"request_id":"","status":400,"title":"Rejected parameter","type":"about:blank"}

        GET /v1/runbooks?tag=%25
        Authorization: Bearer ada
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The filter is not valid.","errors":[{"field":"tag","message":"must be 1 to 40 of a-z, 0-9 and '-'"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/runbooks?tag=
        Authorization: Bearer ada
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The filter is not valid.","errors":[{"field":"tag","message":"must be 1 to 40 of a-z, 0-9 and '-'"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/runbooks?q=
        Authorization: Bearer ada
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"The filter is not valid.","errors":[{"field":"q","message":"must have 1 to 200 bytes; it is empty"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/runbooks?cursor=x
        Authorization: Bearer ada
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_cursor","detail":"Send a next_cursor of this list as it was received, or none to start again.","request_id":"","status":400,"title":"Unusable cursor","type":"about:blank"}

        GET /v1/runbooks?cursor=WyJqb3VybmFsIiwiYSIsImIiXQ
        Authorization: Bearer ada
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_cursor","detail":"Send a next_cursor of this list as it was received, or none to start again.","request_id":"","status":400,"title":"Unusable cursor","type":"about:blank"}

        GET /v1/runbooks/nope
        Authorization: Bearer ada
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no runbook 'nope'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        PUT /v1/runbooks/nope
        Authorization: Bearer ada
        {"title":"a","body":"x"}
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no runbook 'nope'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        DELETE /v1/runbooks/nope
        Authorization: Bearer ada
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no runbook 'nope'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        GET /v1/runbooks
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer
        {"code":"unauthorized","detail":"Send an access token as 'Authorization: Bearer …', or log in first.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/runbooks/nope
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer
        {"code":"unauthorized","detail":"Send an access token as 'Authorization: Bearer …', or log in first.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        POST /v1/runbooks
        {"title":"a","body":"x"}
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer
        {"code":"unauthorized","detail":"Send an access token as 'Authorization: Bearer …', or log in first.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        PUT /v1/runbooks/nope
        {"title":"a","body":"x"}
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer
        {"code":"unauthorized","detail":"Send an access token as 'Authorization: Bearer …', or log in first.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        DELETE /v1/runbooks/nope
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer
        {"code":"unauthorized","detail":"Send an access token as 'Authorization: Bearer …', or log in first.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/runbooks
        X-API-Key: key of web1
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}

        GET /v1/runbooks/nope
        X-API-Key: key of web1
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}

        POST /v1/runbooks
        X-API-Key: key of web1
        {"title":"a","body":"x"}
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}

        PUT /v1/runbooks/nope
        X-API-Key: key of web1
        {"title":"a","body":"x"}
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}

        DELETE /v1/runbooks/nope
        X-API-Key: key of web1
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}
        """##

    static let restored = ##"""
        GET /v1/runbooks
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"2.","id":"<id-1>","tags":[],"title":"Disk full","updated_at":"2026-11-21T09:01:01.500Z","version":3},{"body":"DISK","id":"<id-2>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        GET /v1/runbooks?q=%C3%89T%C3%89
        Authorization: Bearer ada
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"body":"DISK","id":"<id-2>","tags":[],"title":"Été","updated_at":"2026-11-21T09:00:01.500Z","version":1}],"next_cursor":null}

        PUT /v1/runbooks/<id-1>
        Authorization: Bearer ada
        If-Match: "3"
        {"title":"Kept","body":"x"}
        200
        Content-Type: application/json
        ETag: "4"
        {"body":"x","id":"<id-1>","tags":[],"title":"Kept","updated_at":"2026-11-21T09:00:00.000Z","version":4}
        """##
}
