import AttachmentsAPI
import AttachmentsData
import AttachmentsDomain
import Foundation
import JournalDomain
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

struct RemoteAttachmentRepositoryTests {
    private let client = MockAPIClient()
    private let uploader: MemoryUploader
    private let downloader: FileDownloader
    private let directory: TemporaryDirectory
    private let entry = JournalEntry.ID("e1")
    private let content = Data("disk full\r\n--x--\r\n".utf8)

    init() throws {
        uploader = MemoryUploader(answers: client)
        downloader = FileDownloader(answers: client, digest: ContentDigest.sha256)
        directory = try TemporaryDirectory()
    }

    private var repository: RemoteAttachmentRepository { repository(deadline: nil) }

    private func repository(deadline: Duration?) -> RemoteAttachmentRepository {
        RemoteAttachmentRepository(
            client: client, uploader: uploader, downloader: downloader, bodies: DiskFileBodies(), deadline: deadline)
    }

    private func file(_ name: String = "disk.log", _ content: Data? = nil) throws -> LocalFile {
        let content = content ?? self.content
        let path = try directory.write(name, content)
        return LocalFile(path, size: Int64(content.count), digest: .sha256(of: content))
    }

    private func accept(_ attachment: Attachment) {
        client.on(UploadAttachment.self) { _, _ in attachment }
    }

    // MARK: - Upload

    @Test func `a file is sent as one part of a form, and nothing else`() async throws {
        let sent = Attachment.sample(content: content)
        accept(sent)
        let added = try await repository.add(file(), to: entry, progress: nil)
        #expect(added.attachment == sent && added.resumedFrom == 0)
        let upload = try #require(uploader.uploads.first)
        #expect((upload.endpoint as? UploadAttachment)?.id == entry)
        #expect(upload.length == upload.bytes.count)
        let boundary = try #require(upload.contentType?.split(separator: "boundary=").last)
        #expect(upload.contentType == "multipart/form-data; boundary=\(boundary)")
        let lines = [
            "--\(boundary)", #"Content-Disposition: form-data; name="file"; filename="disk.log""#,
            "Content-Type: text/plain", "", "disk full", "--x--", "", "--\(boundary)--", "",
        ]
        #expect(String(decoding: upload.bytes, as: UTF8.self) == lines.joined(separator: "\r\n"))
    }

    @Test func `an empty file is attached like any other`() async throws {
        accept(.sample(content: Data()))
        _ = try await repository.add(file("disk.log", Data()), to: entry, progress: nil)
        #expect(uploader.uploads.count == 1)
    }

    @Test func `a repetition is the same to the byte, whoever makes it`() async throws {
        accept(.sample(content: content))
        let file = try file()
        uploader.loseConnection(after: 20)
        let lost = await #expect(throws: DomainError.self) {
            try await repository.add(file, to: entry, progress: nil)
        }
        guard case .unavailable? = lost else {
            Issue.record("\(String(describing: lost))")
            return
        }
        // As after a restart: nothing is left but the file.
        _ = try await repository(deadline: .seconds(9)).add(file, to: entry, progress: nil)
        let uploads = uploader.uploads
        #expect(uploads.count == 2)
        #expect(uploads[0].options.idempotencyKey != nil)
        #expect(uploads[0].options.idempotencyKey == uploads[1].options.idempotencyKey)
        #expect(uploads[0].contentType == uploads[1].contentType)
        #expect(uploads[1].bytes.starts(with: uploads[0].bytes) && uploads[0].bytes.count == 20)
    }

    @Test func `another file, name, type or entry is another upload`() async throws {
        client.on(UploadAttachment.self) { _, _ in throw NetworkError(.cancelled) }
        var files = [try file(), try file("other.log"), try file("disk2.log", Data("x".utf8))]
        var typed = files[0]
        typed.mediaType = "text/csv"
        files.append(typed)
        for file in files { _ = try? await repository.add(file, to: entry, progress: nil) }
        _ = try? await repository.add(files[0], to: JournalEntry.ID("e2"), progress: nil)
        #expect(Set(uploader.uploads.map(\.options.idempotencyKey)).count == 5)
    }

    @Test func `progress counts what is sent, up to all of it`() async throws {
        accept(.sample(content: content))
        let progress = TransferProgress()
        _ = try await repository.add(file(), to: entry, progress: progress)
        progress.finish()
        var last: TransferCount?
        for await count in progress.updates { last = count }
        let length = try #require(uploader.uploads.first?.length)
        #expect(last == TransferCount(bytes: Int64(length), total: Int64(length)))
    }

    @Test func `a large file has more time, a given deadline counts instead`() async throws {
        accept(.sample(content: content))
        var file = try file()
        _ = try await repository.add(file, to: entry, progress: nil)
        file.size = 32_768 * 1000
        _ = try? await repository.add(file, to: entry, progress: nil)
        file.size = .max
        _ = try? await repository.add(file, to: entry, progress: nil)
        _ = try? await repository(deadline: .seconds(7)).add(file, to: entry, progress: nil)
        #expect(
            uploader.uploads.map(\.options.deadline) == [
                .seconds(60), .seconds(1060), .seconds(7 * 86_400), .seconds(7),
            ])
        #expect(uploader.uploads.allSatisfy { $0.options.attemptTimeout == $0.options.deadline.duration })
    }

    @Test func `an answer about other content means that the file changed`() async throws {
        accept(.sample(content: Data("other".utf8)))
        let file = try file()
        let error = await #expect(throws: DomainError.self) {
            try await repository.add(file, to: entry, progress: nil)
        }
        guard case .conflict(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(file.path) && text.contains("'a1'"))
    }

    @Test func `a file that is gone meanwhile is not found`() async throws {
        let file = try file()
        try FileManager.default.removeItem(atPath: file.path)
        let error = await #expect(throws: DomainError.self) {
            try await repository.add(file, to: entry, progress: nil)
        }
        guard case .notFound(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(file.path))
        #expect(uploader.uploads.isEmpty)
    }

    @Test func `failures of an upload name the file or the entry, and the next step`() async throws {
        func problem(_ status: Int, _ detail: String?, code: String? = nil) -> Problem {
            Problem(title: "t", status: status, detail: detail, code: code)
        }
        let file = try file()
        let cases: [(NetworkError.Kind, String, String)] = [
            (.status(413, problem(413, "At most 10 bytes are taken.")), "validation", "At most 10 bytes are taken."),
            (.status(413, nil), "validation", "Compress or split it."),
            (.notFound(problem(404, "gone")), "notFound", "journal list"),
            (.unauthorized(nil), "unauthorized", "shiftlog login"),
            (.forbidden(problem(403, "Only users.")), "forbidden", "Only users."),
            (.offline("refused"), "unavailable", "--server"),
            (.connectionLost("reset"), "unavailable", "run it again"),
            (.timeout, "busy", "--timeout"),
            (.rateLimited(retryAfter: .seconds(3)), "busy", "later"),
            (.conflict(problem(409, nil, code: "idempotency_in_flight")), "busy", "another process"),
            (.conflict(problem(409, "The entry was removed.")), "conflict", "The entry was removed."),
            (.validation(problem(422, "file_name is bad.")), "validation", "file_name is bad."),
            (.status(415, nil), "validation", "415"), (.server(507, nil), "unavailable", "507"),
            (.cancelled, "cancelled", "Cancelled"),
        ]
        for (kind, label, words) in cases {
            client.fail(UploadAttachment.self, kind)
            let error = await #expect(throws: DomainError.self) {
                try await repository.add(file, to: entry, progress: nil)
            }
            let found = try #require(error)
            #expect("\(Mirror(reflecting: found).children.first?.label ?? "cancelled")" == label, "\(kind)")
            #expect(found.description.contains(words), "\(found)")
        }
    }

    // MARK: - Upload of a large file

    private func repository(resuming uploads: ScriptedUploads) -> RemoteAttachmentRepository {
        RemoteAttachmentRepository(
            client: client, uploader: uploader, resumable: uploads, downloader: downloader, bodies: DiskFileBodies())
    }

    private static let large = Data(count: (1 << 20) + 1)

    @Test func `a file of more than 1 MiB is resumed under the key of its form, a smaller one is a form`() async throws
    {
        let sent = Attachment.sample(content: Self.large)
        let uploads = ScriptedUploads(.sent(sent, resumedFrom: 7))
        let file = try file("disk.log", Self.large)
        let added = try await repository(resuming: uploads).add(file, to: entry, progress: nil)
        #expect(added.attachment == sent && added.resumedFrom == 7 && uploader.uploads.isEmpty)
        let call = try #require(uploads.calls.first)
        #expect(call.request.path == file.path && call.request.fileName == "disk.log")
        #expect(call.request.contentType == "text/plain" && call.request.digest == file.digest)

        accept(sent)
        _ = try await repository.add(file, to: entry, progress: nil)
        #expect(uploader.uploads.map(\.options.idempotencyKey) == [call.options.idempotencyKey])

        let small = try self.file("small.log", Data(count: 1 << 20))
        accept(.sample(name: "small.log", content: Data(count: 1 << 20)))
        _ = try await repository(resuming: uploads).add(small, to: entry, progress: nil)
        #expect(uploads.calls.count == 1 && uploader.uploads.count == 2)
    }

    @Test func `a server that cannot resume uploads gets a form`() async throws {
        accept(.sample(content: Self.large))
        let uploads = ScriptedUploads(.unsupported)
        let added = try await repository(resuming: uploads).add(
            file("disk.log", Self.large), to: entry, progress: nil)
        #expect(added.resumedFrom == 0 && uploads.calls.count == 1 && uploader.uploads.count == 1)
    }

    @Test func `failures of a resumable upload say that what arrived is kept, or that the file changed`() async throws {
        let changed = Problem(title: "t", status: 422, detail: nil, code: "digest_mismatch")
        let cases: [(NetworkError.Kind, String, String)] = [
            (.offline("refused"), "unavailable", "kept"), (.connectionLost("reset"), "unavailable", "kept"),
            (.timeout, "busy", "kept"), (.validation(changed), "conflict", "nothing was attached"),
            (.status(413, nil), "validation", "Compress or split it."),
        ]
        let file = try file("disk.log", Self.large)
        for (kind, label, words) in cases {
            let error = await #expect(throws: DomainError.self) {
                try await repository(resuming: ScriptedUploads(.failure(kind))).add(file, to: entry, progress: nil)
            }
            let found = try #require(error)
            #expect("\(Mirror(reflecting: found).children.first?.label ?? "")" == label, "\(kind)")
            #expect(found.description.contains(words), "\(found)")
        }
        #expect(uploader.uploads.isEmpty)
    }

    // MARK: - List

    @Test func `all pages are one list, in the server's order`() async throws {
        let all = (1...5).map { Attachment.sample("a\($0)") }
        client.on(ListAttachments.self) { call, _ in
            let start = call.cursor.flatMap(Int.init) ?? 0
            let end = min(start + 2, all.count)
            return CursorPage(
                items: Array(all[start..<end]), nextCursor: end < all.count ? "\(end)" : nil)
        }
        #expect(try await repository.list(entry, limit: nil) == all)
        #expect(client.calls(to: ListAttachments.self).map(\.cursor) == [nil, "2", "4"])
        #expect(client.calls(to: ListAttachments.self).allSatisfy { $0.id == entry })
        #expect(try await repository.list(entry, limit: 3) == Array(all.prefix(3)))
        #expect(client.calls(to: ListAttachments.self).dropFirst(3).map(\.limit) == [3, 3])
    }

    @Test(arguments: [0, 1])
    func `a server that pages for ever is not followed`(items: Int) async throws {
        client.on(ListAttachments.self) { _, _ in
            CursorPage(
                items: (0..<items).map { .sample("a\($0)") }, nextCursor: "again")
        }
        await #expect(throws: DomainError.self) { try await repository.list(entry, limit: nil) }
        #expect(client.calls.count <= 2)
    }

    @Test func `an unknown entry or attachment is not found, with the next step`() async {
        client.fail(ListAttachments.self, .notFound(nil))
        client.fail(GetAttachment.self, .notFound(nil))
        await #expect(
            throws: DomainError.notFound(
                "The server has no journal entry 'e1'; 'shiftlog journal list' shows those there are.")
        ) { try await repository.list(entry, limit: nil) }
        await #expect(
            throws: DomainError.notFound(
                "The server has no attachment 'a9'; 'shiftlog attachments list ENTRY' shows those of an entry.")
        ) { try await repository.get(Attachment.ID("a9")) }
    }

    // MARK: - Download

    @Test func `the content arrives in the file and is compared with the digest`() async throws {
        let content = content
        client.onStream(AttachmentContent.self) { _, _ in (ResponseHead(status: 200), [content]) }
        let attachment = Attachment.sample(content: content)
        #expect(try await repository.download(attachment, to: directory.file("x"), progress: nil) == 0)
        #expect(directory.content("x") == content)
        let request = try #require(downloader.requests.first)
        #expect(request.digest == attachment.digest && request.path == directory.file("x"))
        #expect(client.calls.first?.options.deadline == .seconds(60))
    }

    @Test func `other content than was stated leaves no file`() async throws {
        client.onStream(AttachmentContent.self) { _, _ in (ResponseHead(status: 200), [Data("forged".utf8)]) }
        await #expect(throws: DomainError.self) {
            try await repository.download(.sample(content: content), to: directory.file("x"), progress: nil)
        }
        #expect(directory.names.isEmpty)
    }

    @Test func `an interrupted transfer goes on where it stopped`() async throws {
        let content = content
        let attachment = Attachment.sample(content: content)
        try directory.write("x.part", content.prefix(4))
        client.onStream(AttachmentContent.self) { _, options in
            guard options.headers["Range"] == "bytes=4-" else { throw NetworkError(.unexpected("no range")) }
            return (ResponseHead(status: 206), [content.dropFirst(4)])
        }
        #expect(try await repository.download(attachment, to: directory.file("x"), progress: nil) == 4)
        #expect(directory.names == ["x"] && directory.content("x") == content)
    }

    @Test func `failures of a download say that what arrived is kept`() async throws {
        let cases: [(NetworkError.Kind, String, String)] = [
            (.offline("refused"), "unavailable", "kept"), (.connectionLost("reset"), "unavailable", "kept"),
            (.timeout, "busy", "kept"), (.storage("no space"), "storage", directory.file("x")),
            (.notFound(nil), "notFound", "'a1'"), (.invalidResponse("forged range"), "validation", "forged range"),
        ]
        for (kind, label, words) in cases {
            client.onStream(AttachmentContent.self) { _, _ in throw NetworkError(kind) }
            let error = await #expect(throws: DomainError.self) {
                try await repository.download(.sample(), to: directory.file("x"), progress: nil)
            }
            let found = try #require(error)
            #expect("\(Mirror(reflecting: found).children.first?.label ?? "")" == label, "\(kind)")
            #expect(found.description.contains(words), "\(found)")
        }
    }
}
