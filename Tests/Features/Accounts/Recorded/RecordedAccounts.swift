/// Written by the version before the types of the domain were the form on the wire; see `WireTranscript`.
enum RecordedAccounts {
    static let sessions = ##"""
        GET /.well-known/jwks.json
        200
        Cache-Control: no-cache
        Content-Type: application/json
        {"keys":[{"alg":"ES256","crv":"P-256","kid":"mOozTCwwpO_7LIfP","kty":"EC","use":"sig","x":"anxnbIMDxRJIzoicsmR8h1YTEqwt5FUQu6wFJrMUvxs","y":"MyA7UHcLnahY1eT04oYkornkPEGIDhJav4Y5p5j6r3Q"}]}

        GET /.well-known/oauth-authorization-server
        200
        Cache-Control: no-cache
        Content-Type: application/json
        {"grant_types_supported":["refresh_token"],"issuer":"https://shiftlog.example","jwks_uri":"https://shiftlog.example/.well-known/jwks.json","response_types_supported":[],"revocation_endpoint":"https://shiftlog.example/v1/oauth/revoke","revocation_endpoint_auth_methods_supported":["none"],"token_endpoint":"https://shiftlog.example/v1/oauth/token","token_endpoint_auth_methods_supported":["none"]}

        POST /v1/sessions
        {"username":"root","password":"a good password","device":"laptop"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-1>","expires_in":900,"refresh_token":"<secret-1>","token_type":"Bearer"}

        POST /v1/sessions
        {"username":"root","password":"a good password"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-2>","expires_in":900,"refresh_token":"<secret-2>","token_type":"Bearer"}

        POST /v1/sessions
        {"username":"root","password":"wrong"}
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_credentials"
        {"code":"invalid_credentials","detail":"The username or the password is wrong.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        POST /v1/sessions
        {"username":"root","password":"a good password","device":"a\u0007"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"device","message":"must not contain control characters"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/me
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"admin","updated_at":"2026-11-21T09:00:00.000Z","username":"root"}

        GET /v1/sessions
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"created_at":"2026-11-21T09:00:01.500Z","current":false,"device":"unknown device","id":"<id-2>","last_used_at":"2026-11-21T09:00:01.500Z"},{"created_at":"2026-11-21T09:00:00.000Z","current":true,"device":"laptop","id":"<id-3>","last_used_at":"2026-11-21T09:00:00.000Z"}]}

        POST /v1/oauth/token
        {"grant_type":"refresh_token","refresh_token":"<secret-1>"}
        200
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-3>","expires_in":900,"refresh_token":"<secret-3>","token_type":"Bearer"}

        POST /v1/oauth/token
        {"grant_type":"refresh_token"}
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_request","detail":"Send the refresh_token to trade.","error":"invalid_request","error_description":"Send the refresh_token to trade.","request_id":"","status":400,"title":"The token request was refused","type":"about:blank"}

        POST /v1/oauth/token
        {"grant_type":"password"}
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"unsupported_grant_type","detail":"Only grant_type=refresh_token is supported here.","error":"unsupported_grant_type","error_description":"Only grant_type=refresh_token is supported here.","request_id":"","status":400,"title":"The token request was refused","type":"about:blank"}

        POST /v1/oauth/revoke
        {"token":"<secret-2>"}
        200

        POST /v1/oauth/revoke
        {}
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_request","detail":"Send the token to revoke.","error":"invalid_request","error_description":"Send the token to revoke.","request_id":"","status":400,"title":"The token request was refused","type":"about:blank"}

        GET /v1/sessions
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"created_at":"2026-11-21T09:00:00.000Z","current":true,"device":"laptop","id":"<id-3>","last_used_at":"2026-11-21T09:00:01.500Z"}]}

        DELETE /v1/sessions/nope
        Authorization: Bearer <token-1>
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no session 'nope'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        DELETE /v1/sessions/all
        Authorization: Bearer <token-1>
        204

        GET /v1/me
        Authorization: Bearer <token-1>
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_token","detail":"The access token was refused. Its session has ended; log in again.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/sessions
        Authorization: Bearer <token-1>
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_token","detail":"The access token was refused. Its session has ended; log in again.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/users
        Authorization: Bearer <token-1>
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_token","detail":"The access token was refused. Its session has ended; log in again.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/users/x
        Authorization: Bearer <token-1>
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_token","detail":"The access token was refused. Its session has ended; log in again.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/host-tokens
        Authorization: Bearer <token-1>
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_token","detail":"The access token was refused. Its session has ended; log in again.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}
        """##

    static let users = ##"""
        POST /v1/sessions
        {"username":"root","password":"a good password","device":"laptop"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-1>","expires_in":900,"refresh_token":"<secret-1>","token_type":"Bearer"}

        GET /v1/users
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"limit":50,"page":1,"total":2,"users":[{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"member","updated_at":"2026-11-21T09:00:00.000Z","username":"ada"},{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-2>","role":"admin","updated_at":"2026-11-21T09:00:00.000Z","username":"root"}]}

        GET /v1/users?limit=1
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        Link: </v1/users?limit=1&page=2>; rel="next"
        {"limit":1,"page":1,"total":2,"users":[{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"member","updated_at":"2026-11-21T09:00:00.000Z","username":"ada"}]}

        GET /v1/users?page=2&limit=1
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"limit":1,"page":2,"total":2,"users":[{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-2>","role":"admin","updated_at":"2026-11-21T09:00:00.000Z","username":"root"}]}

        GET /v1/users?page=9
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"limit":50,"page":9,"total":2,"users":[]}

        GET /v1/users?page=0
        Authorization: Bearer <token-1>
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"page","message":"must be 1 to 1000000, not 0"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/users?limit=201
        Authorization: Bearer <token-1>
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"limit","message":"must be 1 to 200, not 201"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/users?page=x
        Authorization: Bearer <token-1>
        400
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"invalid_parameter","detail":"query 'page' must be an integer.","errors":[{"field":"page","message":"must be an integer"}],"request_id":"","status":400,"title":"Rejected parameter","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"bob","role":"member","password":"a new password"}
        201
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:01.500Z","id":"<id-3>","role":"member","updated_at":"2026-11-21T09:00:01.500Z","username":"bob"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"bob","role":"member","password":"a new password"}
        409
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"username_taken","detail":"The username 'bob' is taken; choose another one.","request_id":"","status":409,"title":"Conflict","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"Bob","role":"member","password":"short"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"username","message":"must consist of a-z, 0-9, '.', '_' and '-'"},{"field":"password","message":"must have 8 to 1024 bytes"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"eve","role":"member"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"password","message":"is missing; a new account needs one"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"eve","role":"owner","password":"a new password"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"role","message":"must be a valid value"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"eve"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"role","message":"is missing; send a value"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        []
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"body","message":"must be an object"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/users/<id-1>
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"member","updated_at":"2026-11-21T09:00:00.000Z","username":"ada"}

        GET /v1/users/<id-3>
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:01.500Z","id":"<id-3>","role":"member","updated_at":"2026-11-21T09:00:01.500Z","username":"bob"}

        PUT /v1/users/<id-3>
        Authorization: Bearer <token-1>
        {"username":"robert","role":"admin"}
        200
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:01.500Z","id":"<id-3>","role":"admin","updated_at":"2026-11-21T09:01:01.500Z","username":"robert"}

        PUT /v1/users/<id-3>
        Authorization: Bearer <token-1>
        {"username":"ada","role":"admin"}
        409
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"username_taken","detail":"The username 'ada' is taken; choose another one.","request_id":"","status":409,"title":"Conflict","type":"about:blank"}

        PUT /v1/users/<id-3>
        Authorization: Bearer <token-1>
        {"username":"","role":"admin"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"username","message":"must have 1 to 64 bytes; it is empty"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        PUT /v1/users/nope
        Authorization: Bearer <token-1>
        {"username":"x","role":"admin"}
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no user 'nope'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        DELETE /v1/users/<id-3>
        Authorization: Bearer <token-1>
        204

        DELETE /v1/users/<id-3>
        Authorization: Bearer <token-1>
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no user '<id-3>'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}

        DELETE /v1/users/<id-2>
        Authorization: Bearer <token-1>
        409
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"last_admin","detail":"'root' is the last administrator; make somebody else administrator first.","request_id":"","status":409,"title":"Conflict","type":"about:blank"}

        POST /v1/users
        Authorization: Bearer <token-1>
        {"username":"bob","role":"member","password":"a new password"}
        201
        Content-Type: application/json
        {"created_at":"2026-11-21T09:01:01.500Z","id":"<id-4>","role":"member","updated_at":"2026-11-21T09:01:01.500Z","username":"bob"}
        """##

    static let userRows = ##"""
        CREATE TABLE app_user (
            id TEXT NOT NULL PRIMARY KEY, username TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
            password_hash TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL);
        INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at) VALUES ('<id-2>','root','admin','<password_hash>',1795251600000,1795251600000);
        INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at) VALUES ('<id-1>','ada','member','<password_hash>',1795251600000,1795251600000);
        INSERT INTO app_user (id,username,role,password_hash,created_at,updated_at) VALUES ('<id-4>','bob','member','<password_hash>',1795251661500,1795251661500);
        """##

    static let hostTokens = ##"""
        POST /v1/sessions
        {"username":"root","password":"a good password","device":"laptop"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-1>","expires_in":900,"refresh_token":"<secret-1>","token_type":"Bearer"}

        GET /v1/host-tokens
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[]}

        POST /v1/host-tokens
        Authorization: Bearer <token-1>
        {"name":"web1"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","key":"<secret-2>","name":"web1"}

        POST /v1/host-tokens
        Authorization: Bearer <token-1>
        {"name":"db1"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:01.500Z","id":"<id-2>","key":"<secret-3>","name":"db1"}

        POST /v1/host-tokens
        Authorization: Bearer <token-1>
        {"name":"a b"}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"name","message":"must not contain spaces"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        POST /v1/host-tokens
        Authorization: Bearer <token-1>
        {}
        422
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"validation_failed","detail":"Correct the named fields and send again.","errors":[{"field":"name","message":"is missing; send a value"}],"request_id":"","status":422,"title":"Rejected input","type":"about:blank"}

        GET /v1/me
        X-API-Key: <secret-2>
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}

        GET /v1/me
        X-API-Key: slh_unknown
        401
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="invalid_token"
        {"code":"invalid_api_key","detail":"The key in X-API-Key is not known or was revoked; ask an administrator for one.","request_id":"","status":401,"title":"Not authenticated","type":"about:blank"}

        GET /v1/host-tokens
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"created_at":"2026-11-21T09:00:01.500Z","id":"<id-2>","name":"db1"},{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","last_used_at":"2026-11-21T09:00:01.500Z","name":"web1"}]}

        DELETE /v1/host-tokens/<id-2>
        Authorization: Bearer <token-1>
        204

        DELETE /v1/host-tokens/<id-2>
        Authorization: Bearer <token-1>
        404
        Cache-Control: no-store
        Content-Type: application/problem+json
        {"code":"not_found","detail":"There is no host token '<id-2>'.","request_id":"","status":404,"title":"Not found","type":"about:blank"}
        """##

    static let hostTokenRows = ##"""
        CREATE TABLE host_token (
            id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE,
            created_at BIGINT NOT NULL, last_used_at BIGINT);
        INSERT INTO host_token (id,name,key_hash,created_at,last_used_at) VALUES ('<id-1>','web1','<key_hash>',1795251600000,1795251601500);
        """##

    static let restored = ##"""
        POST /v1/sessions
        {"username":"root","password":"a good password","device":"laptop"}
        201
        Cache-Control: no-store
        Content-Type: application/json
        {"access_token":"<token-1>","expires_in":900,"refresh_token":"<secret-1>","token_type":"Bearer"}

        GET /v1/me
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"admin","updated_at":"2026-11-21T09:00:00.000Z","username":"root"}

        GET /v1/users
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"limit":50,"page":1,"total":3,"users":[{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-2>","role":"member","updated_at":"2026-11-21T09:00:00.000Z","username":"ada"},{"created_at":"2026-11-21T09:01:01.500Z","id":"<id-3>","role":"member","updated_at":"2026-11-21T09:01:01.500Z","username":"bob"},{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-1>","role":"admin","updated_at":"2026-11-21T09:00:00.000Z","username":"root"}]}

        GET /v1/host-tokens
        Authorization: Bearer <token-1>
        200
        Cache-Control: private, no-cache
        Content-Type: application/json
        {"items":[{"created_at":"2026-11-21T09:00:00.000Z","id":"<id-2>","last_used_at":"2026-11-21T09:00:01.500Z","name":"web1"}]}

        GET /v1/me
        X-API-Key: slh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        403
        Cache-Control: no-store
        Content-Type: application/problem+json
        WWW-Authenticate: Bearer error="insufficient_scope"
        {"code":"forbidden","detail":"A host token may not do this; log in as a user.","request_id":"","status":403,"title":"Not allowed","type":"about:blank"}
        """##

    /// Of the password `a good password`.
    static let passwordHash = "scrypt$16$8$1$T4aUDBM4iciyoNzC19cSZw$oFVDOo2efZjD2VZx3upuWExezGCJ175zAuiH0NU4WPo"
    static let key = "slh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    /// Of `key`.
    static let keyHash = "SFdHNsb4vtc0CAqoPUIUp37vPgTLHLpr_AY9UGLO1NY"
}
