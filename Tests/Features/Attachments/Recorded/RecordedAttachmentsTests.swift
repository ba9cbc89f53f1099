import AttachmentsService
import FoundationEssentials
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// Documents and rows of the version of 2026-11-22; the output of the commands is in `AttachmentCommandTests`.
@Suite struct `What an earlier version recorded of attachments` {
    private static let requests = [
        "ada GET /v1/journal/entries/e1/attachments", "ada GET /v1/journal/entries/e1/attachments?limit=1",
        "ada GET /v1/journal/entries/e1/attachments?limit=0", "ada GET /v1/journal/entries/e1/attachments?limit=501",
        "ada GET /v1/journal/entries/e1/attachments?cursor=garbage", "ada GET /v1/journal/entries/e2/attachments",
        "ada GET /v1/journal/entries/nowhere/attachments", "host:web1 GET /v1/journal/entries/e1/attachments",
        "- GET /v1/journal/entries/e1/attachments", "ada GET /v1/attachments/nowhere",
        "ada GET /v1/attachments/nowhere/content",
    ]

    @Test func `each route of attachments gives the recorded response and writes the recorded rows`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await StoreEngine.sqlite.open(directory.file("data.db"))
        let service = AttachmentsService(directory: directory.file("files"), limit: 1000)
        let text = try await withBackend([JournalService(), service], on: store) { backend in
            var transcript = CallTranscript(backend)
            try await transcript.send([
                #"ada POST /v1/journal/entries {"id":"e1","host":"web1","text":"x"}"#,
                #"ada POST /v1/journal/entries {"id":"e2","host":"web2","text":"x"}"#,
            ])
            for (user, entry, name, type, content) in Self.uploads {
                backend.clock.advance(by: .seconds(1))
                try await transcript.note(
                    "\(user) POST \(entry) \(name)", as: user, Self.upload(entry, name, type, content))
            }
            try await transcript.send(Self.requests)
            let ids = try await store.read {
                try $0.rows("SELECT id FROM attachment ORDER BY id").map { try $0.text("id") }
            }
            for id in ids {
                try await transcript.send([
                    "ada GET /v1/attachments/\(id)", "host:web1 GET /v1/attachments/\(id)",
                    "ada GET /v1/attachments/\(id)/content", "ada HEAD /v1/attachments/\(id)/content",
                    "ada GET /v1/attachments/\(id)/content Range:bytes=1-2",
                    "ada GET /v1/attachments/\(id)/content Range:bytes=99-",
                ])
            }
            try transcript.note("rows", rows: try await Self.rows(store))
            try await transcript.send(["ada DELETE /v1/journal/entries/e1", "ada GET /v1/attachments/\(ids[0])"])
            try transcript.note("rows", rows: try await Self.rows(store))
            return transcript.text
        }
        // It recorded no authors of journal entries.
        let found = text.replacing(try Regex("\"author\":\"[^\"]*\","), with: "")
        #expect(try Recording("Attachments/routes.txt").difference(from: found) == nil)
    }

    private static let uploads = [
        ("ada", "e1", "disk.log", "text/plain", "full\n"), ("ada", "e1", "b ü.png", "image/png", "\u{1}\u{2}\u{3}"),
        ("host:web1", "e1", "machine.txt", "text/plain; charset=utf-8", "x"),
        ("host:web1", "e2", "machine.txt", "text/plain", "x"), ("ada", "nowhere", "a.txt", "text/plain", "x"),
        ("ada", "e2", "a/b", "text/plain", "x"), ("ada", "e2", "..", "text/plain", "x"),
        ("ada", "e2", "large.bin", "application/octet-stream", String(repeating: "x", count: 1001)),
    ]

    private static func upload(_ entry: String, _ name: String, _ type: String, _ content: String) -> RawRequest {
        let form =
            "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: \(type)\r\n\r\n"
            + content + "\r\n--line--\r\n"
        return RawRequest(
            .post, "/v1/journal/entries/\(entry)/attachments",
            body: .bytes(Data(form.utf8), contentType: "multipart/form-data; boundary=line"))
    }

    private static func rows(_ store: any Store) async throws -> [String] {
        try await store.read { reader in
            try [
                """
                SELECT id || ' ' || entry_id || ' ' || file_name || ' ' || media_type || ' ' || size || ' ' || sha256
                    || ' ' || created_at AS line FROM attachment ORDER BY id
                """,
                """
                SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk AS line FROM pragma_table_info('attachment')
                """,
                "SELECT coalesce(attachment_id, '-') AS line FROM attachment_file ORDER BY attachment_id",
                "SELECT sql AS line FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE 'attachment%' AND sql IS NOT NULL",
                "SELECT name AS line FROM schema_migration WHERE name LIKE 'attach%' ORDER BY name",
            ].flatMap { try reader.rows(Statement(stringLiteral: $0)).map { try $0.text("line") } }
        }
    }
}
