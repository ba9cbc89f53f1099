import Foundation
import HTTPTypes
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// A request that gets a certain problem code.
struct ProblemCase: Sendable, CustomTestStringConvertible {
    let code: String
    let setup: ProblemRig.Setup
    let provoke: @Sendable (ProblemRig) async throws -> ProblemRig.Answer
    var testDescription: String { code }

    init(
        _ code: String, _ setup: ProblemRig.Setup = ProblemRig.Setup(),
        _ provoke: @escaping @Sendable (ProblemRig) async throws -> ProblemRig.Answer
    ) {
        (self.code, self.setup, self.provoke) = (code, setup, provoke)
    }

    static let all = messages + limits + access + resources + files + uploads + stores + logins + devices + sync

    // MARK: - Requests that no endpoint reads

    private static let messages: [ProblemCase] = [
        .init("invalid_host") { try await $0.send("GET /v1/me", headers: [HTTPField.Name("Host")!: "a.example"]) },
        .init("unknown_host", elsewhere) { try await $0.send("GET /v1/me") },
        .init("invalid_path") { try await $0.send("GET /v1/runbooks/{id}", "/v1/runbooks/%FF") },
        .init("invalid_query") { try await $0.send("GET /v1/runbooks", "/v1/runbooks?q=%FF") },
        .init("target_too_long") {
            try await $0.send("GET /v1/runbooks", "/v1/runbooks?q=\(String(repeating: "x", count: 9000))")
        },
        .init("no_such_path") { try await $0.send("GET /v1/runbooks/{id}", "/v1/runbooks/") },
        .init("not_implemented") {
            try await $0.send("POST /v1/oauth/revoke", headers: [.transferEncoding: "gzip"], "token=x")
        },
        .init("unsupported_media_type") { rig in
            try await rig.send("POST /v1/runbooks", token: rig.token(), type: "text/plain", "x")
        },
        .init("malformed_body") { rig in try await rig.send("POST /v1/runbooks", token: rig.token(), "{") },
        .init("invalid_parameter") { rig in
            try await rig.send("GET /v1/journal/entries", "/v1/journal/entries?limit=x", token: rig.token())
        },
        .init("malformed_multipart") { rig in
            let entry = "/v1/journal/entries/e/attachments"
            let token = try await rig.token()
            _ = try await rig.send("POST /v1/journal/entries", token: token, #"{"id":"e","host":"a","text":"b"}"#)
            return try await rig.send(
                "POST /v1/journal/entries/{id}/attachments", entry, token: token,
                type: "multipart/form-data; boundary=b", "no form")
        },
    ]

    private static let elsewhere = ProblemRig.Setup(
        address: ServiceAddress(publicURL: PublicURL("https://shiftlog.example"), host: "127.0.0.1", port: 0))

    // MARK: - Limits

    private static let limits: [ProblemCase] = [
        .init("rate_limited", setup { $0.rates.address = RateLimit(burst: 1, perSecond: 0.001) }) { rig in
            _ = try await rig.send("GET /openapi.json")
            return try await rig.send("GET /openapi.json")
        },
        .init("body_too_slow", setup { $0.bodyGrace = .zero }) {
            try await $0.form("POST /v1/oauth/revoke", "token=x")
        },
        .init("body_too_large") { rig in
            let text = String(repeating: "x", count: 1024 * 1024)
            return try await rig.send("POST /v1/runbooks", token: rig.token(), #"{"title":"a","body":"\#(text)"}"#)
        },
        .init("deadline_exceeded", setup { $0.requestTime = .zero }) { try await $0.send("GET /v1/me") },
        .init("too_many_transfers", setup { $0.transfersPerCaller = 1 }) { rig in
            let token = try await rig.token()
            let entry = try await rig.send("POST /v1/journal/entries", token: token, #"{"host":"a","text":"b"}"#)
            let (arrived, release) = (Gate(), Gate())
            rig.store.hold(arrived, until: release)
            async let upload = rig.upload(token, to: entry["id"])
            try await arrived.wait()
            let answer = try await rig.send("GET /v1/sync/snapshot", token: token)
            release.open()
            _ = try await upload
            return answer
        },
        .init("too_many_logins") { rig in
            for _ in 0..<3 { _ = try await rig.login("ada", password: "wrong password") }
            return try await rig.login("ada")
        },
        .init("too_many_device_codes") { rig in
            for _ in 0..<20 { _ = try await rig.codes() }
            return try await rig.codes()
        },
        .init("too_many_password_resets", ProblemRig.Setup(mailFrom: try? MailAddress("noreply@shiftlog.example"))) {
            rig in
            for _ in 0..<30 { _ = try await rig.reset() }
            return try await rig.reset()
        },
        .init("too_many_host_tokens") { rig in
            let token = try await rig.token()
            try await rig.store.write { transaction in
                for number in 0..<1000 {
                    try transaction.execute(
                        "INSERT INTO host_token (id, name, key_hash, created_at) VALUES (\(number), 'a', \(number), 0)")
                }
            }
            return try await rig.send("POST /v1/host-tokens", token: token, #"{"name":"web-1"}"#)
        },
    ]

    private static func setup(_ change: (inout ServiceLimits) -> Void) -> ProblemRig.Setup {
        var setup = ProblemRig.Setup()
        change(&setup.limits)
        return setup
    }

    // MARK: - Access

    private static let access: [ProblemCase] = [
        .init("unauthorized") { try await $0.send("GET /v1/me") },
        .init("invalid_token") { try await $0.send("GET /v1/me", token: "x") },
        .init("invalid_api_key") { try await $0.send("POST /v1/journal/entries", headers: [apiKey: "x"], "{}") },
        .init("invalid_request") { try await $0.send("GET /v1/me", token: "x", headers: [apiKey: "x"]) },
        .init("forbidden") { rig in try await rig.send("GET /v1/users", token: rig.token("ada")) },
    ]

    private static let apiKey = HTTPField.Name("X-API-Key")!

    // MARK: - Resources

    private static let resources: [ProblemCase] = [
        .init("not_found") { rig in
            try await rig.send("GET /v1/runbooks/{id}", "/v1/runbooks/none", token: rig.token())
        },
        .init("validation_failed") { rig in
            try await rig.send("POST /v1/runbooks", token: rig.token(), #"{"title":"","body":"x"}"#)
        },
        .init("if_match_required") { try await changed($0, [:]) },
        .init("version_mismatch") { try await changed($0, [.ifMatch: "\"999\""]) },
        .init("id_taken") { rig in
            let token = try await rig.token()
            let draft = #"{"id":"e1","host":"a","text":"first"}"#
            _ = try await rig.send("POST /v1/journal/entries", token: token, draft)
            return try await rig.send(
                "POST /v1/journal/entries", token: token, draft.replacing("first", with: "second"))
        },
        .init("invalid_cursor") { rig in
            try await rig.send("GET /v1/runbooks", "/v1/runbooks?cursor=x", token: rig.token())
        },
        .init("username_taken") { rig in
            try await rig.send(
                "POST /v1/users", token: rig.token(),
                #"{"username":"ada","role":"member","password":"a good password"}"#)
        },
        .init("last_admin") { rig in
            let token = try await rig.token()
            let id = try await rig.send("GET /v1/me", token: token)["id"]
            return try await rig.send("DELETE /v1/users/{id}", "/v1/users/\(id)", token: token)
        },
        .init("idempotency_key_reused") { rig in
            let token = try await rig.token()
            _ = try await keyed(rig, token, "Restart")
            return try await keyed(rig, token, "Stop")
        },
        .init("idempotent_response_dropped", setup { $0.maxIdempotentBytes = 1 }) { rig in
            let token = try await rig.token()
            let text = String(repeating: "x", count: 3000)
            for key in ["k", "l"] { _ = try await keyed(rig, token, "Restart", text, key: key) }
            return try await keyed(rig, token, "Restart", text)
        },
        .init("idempotency_in_flight") { rig in
            let token = try await rig.token()
            let (arrived, release) = (Gate(), Gate())
            rig.store.hold(arrived, until: release)
            async let first = keyed(rig, token, "Restart")
            try await arrived.wait()
            let second = try await keyed(rig, token, "Restart")
            release.open()
            _ = try await first
            return second
        },
    ]

    private static func changed(_ rig: ProblemRig, _ headers: HTTPFields) async throws -> ProblemRig.Answer {
        let token = try await rig.token()
        let id = try await rig.runbook(token)["id"]
        return try await rig.send(
            "PUT /v1/runbooks/{id}", "/v1/runbooks/\(id)", token: token, headers: headers,
            #"{"title":"Stop","body":"Turn it off."}"#)
    }

    private static func keyed(
        _ rig: ProblemRig, _ token: String, _ title: String, _ body: String = "x", key: String = "k"
    ) async throws -> ProblemRig.Answer {
        try await rig.send(
            "POST /v1/runbooks", token: token, headers: [HTTPField.Name("Idempotency-Key")!: key],
            #"{"title":"\#(title)","body":"\#(body)"}"#)
    }

    // MARK: - Files

    private static let files: [ProblemCase] = [
        .init("content_lost") { rig in
            let (token, id) = try await uploaded(rig)
            try FileManager.default.removeItem(atPath: rig.file)
            return try await content(rig, token, id)
        },
        .init("content_damaged") { rig in
            let (token, id) = try await uploaded(rig)
            try Data("smoky".utf8).write(to: URL(filePath: rig.file))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: rig.file)
            return try await content(rig, token, id)
        },
        .init("range_not_satisfiable") { rig in
            let (token, id) = try await uploaded(rig)
            return try await content(rig, token, id, [.range: "bytes=100-"])
        },
    ]

    private static func uploaded(_ rig: ProblemRig) async throws -> (String, String) {
        let token = try await rig.token()
        return (token, try await rig.attachment(token))
    }

    private static func content(
        _ rig: ProblemRig, _ token: String, _ id: String, _ headers: HTTPFields = [:]
    ) async throws -> ProblemRig.Answer {
        try await rig.send(
            "GET /v1/attachments/{id}/content", "/v1/attachments/\(id)/content", token: token, headers: headers)
    }

    // MARK: - Uploads in several requests

    private static let uploads: [ProblemCase] = [
        .init("upload_offset_mismatch") { rig in
            let upload = try await begun(rig)
            return try await append(rig, upload, at: 5, "")
        },
        .init("upload_length_mismatch") { rig in
            let upload = try await begun(rig)
            return try await append(rig, upload, at: 0, "smoke!")
        },
        .init("upload_completed") { rig in
            let upload = try await begun(rig)
            _ = try await append(rig, upload, at: 0, "smoke")
            return try await append(rig, upload, at: 5, "")
        },
        .init("digest_mismatch") { rig in
            let upload = try await begun(rig)
            return try await append(rig, upload, at: 0, "smoky")
        },
        .init("too_many_uploads") { rig in
            let token = try await rig.token()
            let entry = try await rig.send("POST /v1/journal/entries", token: token, #"{"host":"a","text":"b"}"#)
            for _ in 0..<16 { _ = try await begin(rig, token, entry["id"]) }
            return try await begin(rig, token, entry["id"])
        },
    ]

    private static func begun(_ rig: ProblemRig) async throws -> (token: String, path: String) {
        let token = try await rig.token()
        let entry = try await rig.send("POST /v1/journal/entries", token: token, #"{"host":"a","text":"b"}"#)
        return (token, try await begin(rig, token, entry["id"]).headers[.location] ?? "")
    }

    /// Begins to upload `smoke`.
    private static func begin(_ rig: ProblemRig, _ token: String, _ entry: String) async throws -> ProblemRig.Answer {
        try await rig.send(
            "POST /v1/journal/entries/{id}/attachments", "/v1/journal/entries/\(entry)/attachments", token: token,
            headers: [
                HTTPField.Name("Upload-Complete")!: "?0", HTTPField.Name("Upload-Length")!: "5",
                HTTPField.Name("Repr-Digest")!: "sha-256=:BNWIy0G4Ai0SM5JPD+goDZ4ruSzcgWWOsQLvnEL8lFI=:",
                .contentDisposition: "inline; filename=a.txt",
            ], type: "text/plain", "")
    }

    /// Sends the last bytes.
    private static func append(
        _ rig: ProblemRig, _ upload: (token: String, path: String), at offset: Int, _ bytes: String
    ) async throws -> ProblemRig.Answer {
        try await rig.send(
            "PATCH /v1/attachment-uploads/{id}", upload.path, token: upload.token,
            headers: [
                HTTPField.Name("Upload-Complete")!: "?1", HTTPField.Name("Upload-Offset")!: "\(offset)",
            ], type: "application/partial-upload", bytes)
    }

    // MARK: - Stores that fail

    private static let stores: [ProblemCase] = [
        .init("internal") { try await failing($0, .failed("a test")) },
        .init("unavailable") { try await failing($0, .unavailable("a test")) },
        .init("constraint") { try await failing($0, .constraint("a test")) },
        .init("storage_full") { try await failing($0, .full("a test")) },
        .init("not_ready") { rig in
            rig.store.fail(with: .unavailable("a test"))
            return try await rig.send("GET /health/ready")
        },
    ]

    /// Device codes need no caller, so the failure is that of the write.
    private static func failing(_ rig: ProblemRig, _ error: StoreError) async throws -> ProblemRig.Answer {
        rig.store.fail(with: error)
        return try await rig.codes()
    }

    // MARK: - Logins

    private static let logins: [ProblemCase] = [
        .init("invalid_credentials") { try await $0.login("ada", password: "wrong password") },
        .init("sign_in_disabled", ProblemRig.Setup(allowsSignIn: false)) { try await $0.login() },
        .init("password_reset_disabled") { try await $0.reset() },
        .init("invalid_grant") {
            try await $0.form("POST /v1/oauth/token", "grant_type=refresh_token&refresh_token=x")
        },
        .init("unsupported_grant_type") { try await $0.form("POST /v1/oauth/token", "grant_type=password") },
    ]

    private static let devices: [ProblemCase] = [
        .init("authorization_pending") { rig in try await rig.poll(rig.codes()) },
        .init("slow_down") { rig in
            let codes = try await rig.codes()
            _ = try await rig.poll(codes)
            return try await rig.poll(codes)
        },
        .init("expired_token") { rig in
            let codes = try await rig.codes()
            rig.clock.advance(by: .seconds(601))
            return try await rig.poll(codes)
        },
        .init("access_denied") { rig in
            let codes = try await rig.codes()
            let question = try await rig.form(
                "POST /device", "user_code=\(codes["user_code"])&username=ada&password=\(ProblemRig.password)")
            let page = String(decoding: question.body, as: UTF8.self)
            let ticket = (try? /name="ticket" value="([^"]*)"/.firstMatch(in: page)).map { String($0.1) }
            _ = try await rig.form("POST /device", "ticket=\(ticket ?? "")&decision=refuse")
            return try await rig.poll(codes)
        },
    ]

    // MARK: - Sync

    private static let sync: [ProblemCase] = [
        .init("epoch_changed") { try await pulled($0, after: "UPDATE sync_meta SET epoch = 'other'") },
        .init("cursor_expired") {
            try await pulled(
                $0, after: "UPDATE sync_pruned SET version = 1000", "UPDATE sync_meta SET seq = 2000")
        },
        .init("scope_changed") { try await pulled($0, "&collections=runbooks") },
    ]

    /// Pulls with a cursor of before the statements.
    private static func pulled(
        _ rig: ProblemRig, _ query: String = "", after statements: Statement...
    ) async throws -> ProblemRig.Answer {
        let token = try await rig.token()
        _ = try await rig.runbook(token)
        let cursor = try await rig.send("GET /v1/sync/changes", token: token)["cursor"]
        try await rig.store.write { transaction in
            for statement in statements { try transaction.execute(statement) }
        }
        return try await rig.send("GET /v1/sync/changes", "/v1/sync/changes?cursor=\(cursor)\(query)", token: token)
    }
}
