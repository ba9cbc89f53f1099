import AttachmentsAPI
import AttachmentsDomain
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// Uploads in several requests (draft-ietf-httpbis-resumable-upload).
@Suite struct ResumableUploadTests {
    private static let content = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    @Test(arguments: [TestingSetup.router, .live], ContentPlace.allCases)
    func `parts in order become one file, and the offset is told between`(
        _ setup: TestingSetup, _ place: ContentPlace
    ) async throws {
        try await withAttachmentsBackend(setup, in: place, limit: 3_000_000) { backend in
            let created = try await backend.create(Self.content, in: try await backend.entry())
            #expect(created.status == 201 && created["Upload-Complete"] == "?0" && created.body.isEmpty)
            #expect(created["Upload-Limit"] == "max-size=3000000, max-age=86400")
            let upload = try #require(created["Location"])
            var offset = 0
            for end in [1, 1_048_576, 2_400_000] {
                let reply = try await backend.append(Self.content[offset..<end], to: upload)
                #expect(reply.status == 204 && reply["Upload-Complete"] == "?0", "\(reply.code ?? "")")
                offset = end
                let state = try await backend.send(.head, upload)
                #expect(state.status == 204 && state["Upload-Offset"] == "\(end)" && state["Upload-Complete"] == "?0")
                #expect(state["Upload-Length"] == "2500000" && state["Cache-Control"] == "no-store")
            }
            #expect(try await backend.contents() == [0, 0])
            let last = try await backend.append(Self.content[offset...], to: upload, isLast: true)
            #expect(last.status == 201 && last["Upload-Complete"] == "?1", "\(last.code ?? "")")
            let attachment = try last.attachment()
            #expect(attachment.fileName.text == "smoke.log" && attachment.mediaType == "text/plain")
            #expect(attachment.digest.bytes == Data(SHA256.hash(data: Self.content)))
            let back = try await backend.send(.get, "/v1/attachments/\(attachment.id)/content")
            #expect(back.body == Self.content)
            let state = try await backend.send(.head, upload)
            #expect(state["Upload-Complete"] == "?1" && state["Upload-Offset"] == "2500000")
            #expect(try await backend.contents() == [1, 0])
            let feature: any FeatureService = backend.service
            try await feature.reclaim(backend.store)
            #expect(try await backend.uploads() == [1, 0])
        }
    }

    @Test func `a whole file in one request needs no other one`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            for content in [Data("x".utf8), Data()] {
                let reply = try await backend.create(content, in: entry, sending: content, isLast: true)
                #expect(reply.status == 201 && reply["Upload-Complete"] == "?1")
                #expect(try reply.attachment().size == Int64(content.count))
            }
        }
    }

    @Test func `a last request without bytes completes an upload whose bytes are all there`() async throws {
        try await withAttachmentsBackend { backend in
            let content = Data("all of it".utf8)
            let upload = try await backend.created(content, in: try await backend.entry())
            _ = try await backend.append(content, to: upload)
            let last = try await backend.append(Data(), at: content.count, to: upload, isLast: true)
            #expect(last.status == 201)
            #expect(try last.attachment().size == Int64(content.count))
            let again = try await backend.append(Data(), at: content.count, to: upload, isLast: true)
            #expect(again.status == 410 && again.code == "upload_completed")
            let more = try await backend.append(Data("x".utf8), at: content.count, to: upload, isLast: true)
            #expect(more.status == 400 && more.code == "upload_length_mismatch")
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `what arrived of a request that breaks off is kept, to the byte`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(.live, in: place, limit: 3_000_000) { backend in
            let upload = try await backend.created(Self.content, in: try await backend.entry())
            var offset = 0
            for (isReset, count) in [(false, 10), (false, 1_300_000), (true, 500_000)] {
                let socket = try await RawConnection(port: backend.client.port ?? 0)
                let head =
                    "PATCH \(upload) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\nUpload-Offset: \(offset)\r\n"
                    + "Upload-Complete: ?1\r\nContent-Type: application/partial-upload\r\n"
                    + "Content-Length: \(Self.content.count - offset)\r\n\r\n"
                socket.send(Data(head.utf8) + Self.content[offset..<offset + count])
                if isReset {
                    try await eventually("the request has begun") { try await backend.transfers() == 1 }
                    // A reset drops what the backend has not read.
                    await socket.reset()
                    break
                }
                socket.finishSending()
                let end = offset + count
                try await eventually(try await backend.send(.head, upload)["Upload-Offset"] == "\(end)")
                offset = end
            }
            #expect(try await backend.contents() == [0, 0])
            try await eventually("the request that was reset has stored what it has read") {
                try await backend.transfers() == 0
            }
            let now = Int(try await backend.send(.head, upload)["Upload-Offset"] ?? "") ?? 0
            let last = try await backend.append(Self.content[now...], at: now, to: upload, isLast: true)
            #expect(last.status == 201)
            #expect(try last.attachment().digest.bytes == Data(SHA256.hash(data: Self.content)))
        }
    }

    @Test func `content with another digest than announced is refused, and nothing is stored`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let upload = try await backend.created(Data("smoke".utf8), in: entry)
            let reply = try await backend.append(Data("smoky".utf8), at: 0, to: upload, isLast: true)
            #expect(reply.status == 422 && reply.code == "digest_mismatch" && reply["Upload-Complete"] == "?1")
            #expect(try await backend.contents() == [0, 0])
            #expect(try await backend.send(.head, upload).status == 404)
            let list = try await backend.send(.get, "/v1/journal/entries/\(entry)/attachments")
            #expect(String(decoding: list.body, as: UTF8.self).contains(#""items":[]"#))
            let feature: any FeatureService = backend.service
            try await feature.reclaim(backend.store)
            #expect(try await backend.uploads() == [0, 0])
        }
    }

    @Test func `another offset is 409 with the right one, and changes nothing`() async throws {
        try await withAttachmentsBackend { backend in
            let content = Data("0123456789".utf8)
            let upload = try await backend.created(content, in: try await backend.entry())
            _ = try await backend.append(content.prefix(4), to: upload)
            for offset in [0, 3, 5, 10] {
                let reply = try await backend.append(Data("x".utf8), at: offset, to: upload)
                #expect(reply.status == 409 && reply.code == "upload_offset_mismatch", "\(offset)")
                #expect(reply["Upload-Offset"] == "4")
            }
            #expect(try await backend.append(content.dropFirst(4), to: upload, isLast: true).status == 201)
        }
    }

    @Test(arguments: ContentPlace.allCases)
    func `of twenty requests for the same bytes one adds them`(_ place: ContentPlace) async throws {
        try await withAttachmentsBackend(.live, in: place) { backend in
            let content = Self.content.prefix(100_000)
            let upload = try await backend.created(content, in: try await backend.entry())
            for (offset, end, isLast) in [(0, 50_000, false), (50_000, 100_000, true)] {
                let replies = try await withThrowingTaskGroup(of: BackendReply.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await backend.append(content[offset..<end], to: upload, isLast: isLast)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(replies.count { (200..<300).contains($0.status) } == 1, "\(replies.map(\.status))")
                #expect(replies.allSatisfy { [201, 204, 400, 409, 410].contains($0.status) })
            }
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test func `a repeated creation with one key finds the upload, and later its response`() async throws {
        try await withAttachmentsBackend { backend in
            let (entry, content) = (try await backend.entry(), Data("one".utf8))
            let first = try await backend.create(content, in: entry, key: "k")
            let upload = try #require(first["Location"])
            _ = try await backend.append(content.prefix(2), to: upload)
            let again = try await backend.create(content, in: entry, key: "k")
            #expect(again["Location"] == upload && again["Upload-Offset"] == "2")
            let bytes = try await backend.create(content, in: entry, sending: content, isLast: true, key: "k")
            #expect(bytes.status == 409 && bytes["Upload-Offset"] == "2" && bytes["Location"] == upload)
            #expect(try await backend.create(content, in: entry, key: "l")["Location"] != upload)

            let last = try await backend.append(content.suffix(1), at: 2, to: upload, isLast: true)
            #expect(last.status == 201)
            let replay = try await backend.create(content, in: entry, key: "k")
            #expect(replay.status == 201 && replay.body == last.body && replay["Upload-Complete"] == "?1")
            #expect(replay["Idempotency-Replayed"] == "true")
            // The same file as a form is the same upload, too.
            #expect(try await backend.upload(content, to: entry, key: "k").body == last.body)
            let other = try await backend.create(Data("two".utf8), in: entry, key: "k")
            #expect(other.status == 422 && other.code == "idempotency_key_reused")
            #expect(try await backend.contents() == [1, 0])
        }
    }

    @Test func `an upload belongs to the caller who created it`() async throws {
        try await withAttachmentsBackend { backend in
            let upload = try await backend.created(Data("x".utf8), in: try await backend.entry())
            #expect(try await backend.send(.head, upload, as: "bob").status == 404)
            #expect(try await backend.send(.head, upload, as: nil).status == 401)
            #expect(try await backend.send(.delete, upload, as: "bob").status == 404)
            #expect(try await backend.append(Data("x".utf8), to: upload, as: "bob").status == 404)
            #expect(try await backend.send(.head, upload).status == 204)
        }
    }

    @Test func `a machine uploads to entries about its own host only`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let key = HTTPField.Name("X-API-Key")!
            let own = try await backend.create(
                Data("x".utf8), in: entry, sending: Data("x".utf8), isLast: true, as: nil, headers: [key: "web-1"])
            #expect(own.status == 201)
            let other = try await backend.create(Data("x".utf8), in: entry, as: nil, headers: [key: "web-2"])
            #expect(other.status == 403)
            #expect(try await backend.create(Data("x".utf8), in: "nowhere").status == 404)
        }
    }

    @Test func `requests that say too little are refused before their bytes`() async throws {
        try await withAttachmentsBackend { backend in
            let (entry, content) = (try await backend.entry(), Data("x".utf8))
            let upload = try await backend.created(content, in: entry)
            let path = "/v1/journal/entries/\(entry)/attachments"
            let append: HTTPFields = [
                .contentType: "application/partial-upload", .uploadComplete: "?1", .uploadOffset: "0",
            ]
            for (change, status) in [
                ({ $0[.contentType] = "text/plain" }, 415), ({ $0[.uploadComplete] = nil }, 400),
                ({ $0[.uploadComplete] = "yes" }, 400), ({ $0[.uploadOffset] = nil }, 400),
                ({ $0[.uploadOffset] = "-1" }, 400),
            ] as [((inout HTTPFields) -> Void, Int)] {
                var headers = append
                change(&headers)
                #expect(try await backend.send(.patch, upload, headers: headers, body: content).status == status)
            }
            for name in ["inline", "inline; filename=\"a/b\"", "inline; filename=\"..\""] {
                let headers: HTTPFields = [
                    .uploadComplete: "?0", .contentDisposition: name, .contentType: "text/plain",
                ]
                let reply = try await backend.send(.post, path, headers: headers, body: content)
                #expect(reply.status == 422 && reply.fields == ["filename"], "\(name)")
            }
            #expect(try await backend.send(.head, upload)["Upload-Offset"] == "0")
            #expect(try await backend.uploads() == [1, 0])
        }
    }

    @Test func `a file above the limit is 413 before a byte is sent`() async throws {
        try await withAttachmentsBackend(limit: 100) { backend in
            let entry = try await backend.entry()
            #expect(try await backend.create(Data(count: 100), in: entry).status == 201)
            let announced = try await backend.create(Data(count: 101), in: entry)
            #expect(announced.status == 413 && announced.code == "body_too_large")
            #expect(announced["Upload-Limit"] == "max-size=100")
            #expect(try await backend.uploads() == [1, 0])
        }
    }

    @Test func `an upload that grows beyond its length in chunks is ended`() async throws {
        try await withAttachmentsBackend(.live) { backend in
            let upload = try await backend.created(Data("0123".utf8), in: try await backend.entry())
            let socket = try await RawConnection(port: backend.client.port ?? 0)
            socket.send(
                Data(
                    ("PATCH \(upload) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\nUpload-Offset: 0\r\n"
                        + "Upload-Complete: ?0\r\nContent-Type: application/partial-upload\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n").utf8))
            let answer = try await socket.read(until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(try await backend.send(.head, upload).status == 404)
        }
    }

    @Test func `a cancelled upload and one without a byte for a day are gone with their bytes`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let feature: any FeatureService = backend.service
            let content = Self.content.prefix(900_000)
            var uploads: [String] = []
            for _ in 0..<3 {
                let upload = try await backend.created(content, in: entry)
                _ = try await backend.append(content.prefix(800_000), to: upload)
                uploads.append(upload)
            }
            #expect(try await backend.send(.delete, uploads[0]).status == 204)
            #expect(try await backend.send(.head, uploads[0]).status == 404)
            #expect(try await backend.append(content.suffix(1), at: 800_000, to: uploads[0]).status == 404)
            backend.clock.advance(by: .seconds(80_000))
            _ = try await backend.append(content.suffix(100_000).prefix(1), at: 800_000, to: uploads[1])
            backend.clock.advance(by: .seconds(10_000))
            try await feature.maintain(backend.store, at: backend.clock.now)
            try await feature.reclaim(backend.store)
            #expect(try await backend.send(.head, uploads[1])["Upload-Offset"] == "800001")
            #expect(try await backend.send(.head, uploads[2]).status == 404)
            #expect(try await backend.uploads() == [1, 2])
        }
    }

    @Test func `one caller has sixteen unfinished uploads, and an idle one gives way`() async throws {
        try await withAttachmentsBackend(limit: 1000) { backend in
            let entry = try await backend.entry()
            var uploads: [String] = []
            for _ in 0..<16 { uploads.append(try await backend.created(Data("x".utf8), in: entry)) }
            let refused = try await backend.create(Data("x".utf8), in: entry)
            #expect(refused.status == 429 && refused.code == "too_many_uploads" && refused["Retry-After"] == "60")
            #expect(try await backend.create(Data("x".utf8), in: entry, as: "bob").status == 201)
            backend.clock.advance(by: .seconds(61))
            #expect(try await backend.create(Data("x".utf8), in: entry).status == 201)
            var found = 0
            for upload in uploads where try await backend.send(.head, upload).status == 204 { found += 1 }
            #expect(found == 15)
        }
    }

    @Test func `the bytes of one caller's unfinished uploads are bounded`() async throws {
        try await withAttachmentsBackend(limit: 1000) { backend in
            let entry = try await backend.entry()
            for _ in 0..<4 { #expect(try await backend.create(Data(count: 1000), in: entry).status == 201) }
            #expect(try await backend.create(Data(count: 1), in: entry).code == "too_many_uploads")
        }
    }

    @Test func `an upload to an entry that was deleted meanwhile is 404`() async throws {
        try await withAttachmentsBackend { backend in
            let entry = try await backend.entry()
            let upload = try await backend.created(Data("ab".utf8), in: entry)
            _ = try await backend.append(Data("a".utf8), to: upload)
            #expect(try await backend.send(.delete, "/v1/journal/entries/\(entry)").status == 204)
            #expect(try await backend.append(Data("b".utf8), at: 1, to: upload, isLast: true).status == 404)
            #expect(try await backend.contents() == [0, 0])
        }
    }

    @Test func `a form with Upload-Complete is a form`() async throws {
        try await withAttachmentsBackend { backend in
            let reply = try await backend.upload(
                Data("x".utf8), to: try await backend.entry(), headers: [.uploadComplete: "?1"])
            #expect(reply.status == 201)
            #expect(try reply.attachment().size == 1)
            #expect(try await backend.uploads() == [0, 0])
        }
    }
}

extension HTTPField.Name {
    fileprivate static let uploadComplete = HTTPField.Name("Upload-Complete")!
    fileprivate static let uploadOffset = HTTPField.Name("Upload-Offset")!
    fileprivate static let uploadLength = HTTPField.Name("Upload-Length")!
    fileprivate static let digest = HTTPField.Name("Repr-Digest")!
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}

extension AttachmentsBackend {
    /// Creates an upload of `content`, and sends some of it with the same request.
    fileprivate func create(
        _ content: Data, in entry: String, sending part: Data = Data(), isLast: Bool = false, key: String? = nil,
        as user: String? = "ada", headers: HTTPFields = [:]
    ) async throws -> BackendReply {
        var headers = headers
        headers[.uploadComplete] = isLast ? "?1" : "?0"
        headers[.uploadLength] = "\(content.count)"
        headers[.contentType] = "text/plain"
        headers[.contentDisposition] = "inline; filename=\"smoke.log\""
        headers[.digest] = ContentDigest.sha256(of: content).field
        headers[.idempotencyKey] = key
        return try await send(
            .post, "/v1/journal/entries/\(entry)/attachments", as: user, headers: headers, body: part)
    }

    /// The path of a new upload.
    fileprivate func created(_ content: Data, in entry: String) async throws -> String {
        try #require(try await create(content, in: entry)["Location"])
    }

    /// - Parameter offset: Default: where the bytes begin in the data that they are a slice of.
    fileprivate func append(
        _ bytes: Data, at offset: Int? = nil, to upload: String, isLast: Bool = false, as user: String? = "ada"
    ) async throws -> BackendReply {
        let headers: HTTPFields = [
            .contentType: "application/partial-upload", .uploadComplete: isLast ? "?1" : "?0",
            .uploadOffset: "\(offset ?? bytes.startIndex)",
        ]
        return try await send(.patch, upload, as: user, headers: headers, body: Data(bytes))
    }

    /// How many uploads are in progress.
    fileprivate func transfers() async throws -> Int? {
        let text = String(decoding: try await send(.get, "/metrics").body, as: UTF8.self)
        return text.firstMatch(of: /http_transfers (\d+)/).flatMap { Int($0.1) }
    }

    /// How many uploads and pieces the database has.
    fileprivate func uploads() async throws -> [Int] {
        try await store.read { reader in
            [
                try reader.rows("SELECT id FROM attachment_upload").count,
                try reader.rows("SELECT place FROM attachment_upload_piece").count,
            ]
        }
    }
}
