import AttachmentsAPI
import AttachmentsDomain
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@Suite struct AttachmentUploadTests {
    @Test(arguments: [TestingSetup.router, .live], ContentPlace.allCases)
    func `a file comes back as it went in`(_ setup: TestingSetup, _ place: ContentPlace) async throws {
        try await withAttachmentsBackend(setup, in: place) { backend in
            var random = SeededRandom(seed: 7)
            for size in [0, 1, 262_143, 262_144, 262_145, 900_000] {
                let content = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
                let entry = try await backend.entry()
                let reply = try await backend.upload(content, to: entry)
                #expect(reply.status == 201)
                let attachment = try reply.attachment()
                #expect(attachment.size == Int64(size) && attachment.parentId.rawValue == entry)
                #expect(attachment.fileName.text == "smoke.log" && attachment.mediaType == "text/plain")
                #expect(attachment.digest.bytes == Data(SHA256.hash(data: content)))
                let back = try await backend.send(.get, "/v1/attachments/\(attachment.id)/content")
                #expect(back.status == 200 && back.body == content)
            }
            #expect(try await backend.contents() == [6, 0])
        }
    }

    @Test func `files belong to entries that exist`() async throws {
        try await withAttachmentsBackend { backend in
            let upload = try await backend.upload(Data("x".utf8), to: "nowhere")
            #expect(upload.status == 404)
            for path in ["journal/entries/nowhere/attachments", "attachments/nowhere", "attachments/nowhere/content"] {
                let reply = try await backend.send(.get, "/v1/\(path)")
                #expect(reply.status == 404)
            }
            #expect(try await backend.contents() == [0, 0])
        }
    }

    @Test func `people read and add, machines only add, strangers neither`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let machine: HTTPFields = [HTTPField.Name("X-API-Key")!: "web-1"]
            let added = try await backend.upload(Data("x".utf8), to: entry, as: nil, headers: machine)
            #expect(added.status == 201)
            let id = try added.attachment().id
            for path in [
                "/v1/journal/entries/\(entry)/attachments", "/v1/attachments/\(id)", "/v1/attachments/\(id)/content",
            ] {
                #expect(try await backend.send(.get, path).status == 200)
                #expect(try await backend.send(.get, path, as: nil, headers: machine).status == 403)
                #expect(try await backend.send(.get, path, as: nil).status == 401)
            }
            #expect(try await backend.upload(Data(), to: entry, as: nil).status == 401)
        }
    }

    @Test func `a machine adds files to entries about its own host only`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let other: HTTPFields = [HTTPField.Name("X-API-Key")!: "web-2"]
            let refused = try await backend.upload(Data("x".utf8), to: entry, as: nil, headers: other)
            #expect(refused.status == 403)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("'web-2'"))
            #expect(try await backend.contents() == [0, 0])
        }
    }

    @Test(arguments: [
        "../../etc/passwd", "a/b", #"C:\\x"#, "..", ".", "", "a%0D%0Ab", "a\u{7F}", "a\u{85}b",
        String(repeating: "x", count: 256),
    ])
    func `a name that is no plain file name is refused and costs no disk`(_ name: String) async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let reply = try await backend.upload(Data("x".utf8), to: entry, name: name)
            #expect([400, 422].contains(reply.status), "\(reply.status)")
            #expect(!reply.fields.isEmpty)
            #expect(try await backend.contents() == [0, 0])
        }
    }

    @Test(arguments: ["a..b", "潮.txt", ".bashrc", "CON", "a b;c", String(repeating: "x", count: 255)])
    func `any other name is shown, and never one on disk`(_ name: String) async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let reply = try await backend.upload(Data("x".utf8), to: entry, name: name)
            #expect(try reply.attachment().fileName.text == name)
            #expect(backend.files.count == 1 && !backend.files.contains(name))
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `a form that is not one file is refused and leaves nothing`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(in: place) { backend in
            let entry = try await backend.entry()
            let path = "/v1/journal/entries/\(entry)/attachments"
            let type: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
            let file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n"
            let note = "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n"
            let field = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n"
            for (body, status, name) in [
                ("--b--", 422, "file"), (file + file + "--b--", 422, "file"), (file + note + "--b--", 422, "note"),
                (note + file + "--b--", 422, "note"), (field + "--b--", 422, "file"), (file, 400, "boundary"),
                ("", 400, "boundary"), ("{}", 400, "boundary"),
            ] {
                let reply = try await backend.send(.post, path, headers: type, body: Data(body.utf8))
                #expect(reply.status == status && reply.fields == [name], "\(body)")
            }
            let json = try await backend.send(
                .post, path, headers: [.contentType: "application/json"], body: Data("{}".utf8))
            #expect(json.status == 415)
            #expect(try await backend.contents() == [0, 0])
            let page = try await backend.send(.get, path)
            #expect(String(decoding: page.body, as: UTF8.self).contains(#""items":[]"#))
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `a file above the limit is 413 and leaves nothing`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(in: place, limit: 100_000) { backend in
            let entry = try await backend.entry()
            #expect(try await backend.upload(Data(count: 100_000), to: entry).status == 201)
            for size in [100_001, 350_000, 3_000_000] {
                let reply = try await backend.upload(Data(count: size), to: entry)
                #expect(reply.status == 413 && reply.code == "body_too_large")
            }
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `the same upload under one key has one effect, another payload none`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(in: place) { backend in
            let entry = try await backend.entry()
            let first = try await backend.upload(Data("one".utf8), to: entry, key: "k")
            let again = try await backend.upload(Data("one".utf8), to: entry, key: "k")
            #expect(first.status == 201 && again.status == 201 && again.body == first.body)
            #expect(first["Idempotency-Replayed"] == nil && again["Idempotency-Replayed"] == "true")
            for other in [
                try await backend.upload(Data("two".utf8), to: entry, key: "k"),
                try await backend.upload(Data("one".utf8), to: entry, name: "other", key: "k"),
                try await backend.upload(Data("one".utf8), to: entry, type: "text/html", key: "k"),
            ] {
                #expect(other.status == 422 && other.code == "idempotency_key_reused")
            }
            #expect(try await backend.contents() == [1, 0])
            #expect(try await backend.upload(Data("one".utf8), to: entry).status == 201)
            #expect(try await backend.contents() == [2, 0])
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `twenty at once under one key have one effect`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(.live, in: place) { backend in
            let entry = try await backend.entry()
            let replies = try await withThrowingTaskGroup(of: BackendReply.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await backend.upload(Data(count: 50_000), to: entry, key: "k") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 201 || $0.code == "idempotency_in_flight" })
            #expect(Set(replies.filter { $0.status == 201 }.map(\.body)).count == 1)
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test func `the files of an entry come in pages, oldest first`() async throws {
        try await withAttachmentsBackend { backend in
            let (entry, other) = (try await backend.entry(), try await backend.entry())
            for number in 0..<5 {
                backend.clock.advance(by: .seconds(1))
                #expect(try await backend.upload(Data("x".utf8), to: entry, name: "f\(number)").status == 201)
            }
            var names: [String] = []
            var path: String? = "/v1/journal/entries/\(entry)/attachments?limit=2"
            while let next = path {
                let reply = try await backend.send(.get, next)
                let page = try WireJSON.decode([String: JSONValue].self, from: reply.body)
                guard case .array(let items) = page["items"] else { break }
                #expect(items.count <= 2)
                names += items.compactMap { $0.object?["file_name"]?.string }
                path = reply["Link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
            }
            #expect(names == (0..<5).map { "f\($0)" })
            let empty = try await backend.send(.get, "/v1/journal/entries/\(other)/attachments?limit=501")
            #expect(empty.status == 422)
        }
    }

    @Test func `contents in the database go with their entry, what a crash left a day later, and nothing else`()
        async throws
    {
        try await withAttachmentsBackend(in: .tables) { backend in
            let (entry, other) = (try await backend.entry(), try await backend.entry())
            for _ in 0..<3 { _ = try await backend.upload(Data(count: 600_000), to: entry) }
            let kept = try await backend.upload(Data("y".utf8), to: other).attachment().id
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            let feature: any FeatureService = backend.service
            #expect(try await backend.contents() == [4, 0])
            try await feature.reclaim(backend.store)
            #expect(try await backend.contents() == [1, 0])
            // What a crash leaves: an upload that was not completed, and a content without an attachment.
            try await backend.store.write { transaction in
                for (id, size) in [("half", StoreValue.null), ("whole", .integer(0))] {
                    try transaction.execute(
                        """
                        INSERT INTO blob (id, written_at, piece_size, size)
                        VALUES (\(id), \(Date()), 262144, \(size))
                        """)
                }
            }
            try await feature.maintain(backend.store, at: Date())
            #expect(try await backend.contents() == [2, 1])
            try await feature.maintain(backend.store, at: Date(timeIntervalSinceNow: 25 * 3600))
            #expect(try await backend.contents() == [1, 0])
            #expect(try await backend.send(.get, "/v1/attachments/\(kept)/content").status == 200)
        }
    }

    @Test func `attachments go with their entry, what a crash left a day later, and nothing else`() async throws {
        try await withAttachmentsBackend { backend in
            let (entry, other) = (try await backend.entry(), try await backend.entry())
            let id = try await backend.upload(Data("x".utf8), to: entry).attachment().id
            let kept = try await backend.upload(Data("y".utf8), to: other).attachment().id
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            #expect(try await backend.send(.get, "/v1/attachments/\(id)/content").status == 404)
            let feature: any FeatureService = backend.service
            #expect(backend.files.count == 2)
            try await feature.reclaim(backend.store)
            #expect(backend.files.count == 1)
            // What a crash leaves: a file beside, and a file without a row.
            _ = FileManager.default.createFile(atPath: backend.directory + "/incoming/\(UUID())", contents: Data())
            let orphan = UUID().text
            _ = FileManager.default.createFile(atPath: backend.directory + "/\(orphan)", contents: Data())
            _ = FileManager.default.createFile(atPath: backend.directory + "/notes of the admin", contents: Data())
            try await feature.reclaim(backend.store)
            try await feature.maintain(backend.store, at: Date())
            #expect(backend.files.count == 3 && backend.staged.count == 1)
            try await feature.maintain(backend.store, at: Date(timeIntervalSinceNow: 25 * 3600))
            #expect(backend.files.count == 2 && backend.files.contains("notes of the admin"), "\(backend.files)")
            #expect(backend.staged.isEmpty)
            #expect(try await backend.send(.get, "/v1/attachments/\(kept)/content").status == 200)
        }
    }
}
