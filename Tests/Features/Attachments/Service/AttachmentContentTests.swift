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

@Suite struct AttachmentContentTests {
    private static let content = Data("0123456789".utf8)

    private func withContent(
        _ setups: [TestingSetup] = [.router, .live], in places: [ContentPlace] = ContentPlace.allCases,
        content: Data = content, name: String = "a b.txt", type: String? = "text/html; charset=x",
        _ body: @escaping @Sendable (AttachmentsBackend, String) async throws -> Void
    ) async throws {
        for (setup, place) in setups.flatMap({ setup in places.map { (setup, $0) } }) {
            try await withAttachmentsBackend(setup, in: place) { backend in
                let entry = try await backend.entry()
                let reply = try await backend.upload(content, to: entry, name: name, type: type)
                try await body(backend, "/v1/attachments/\(try reply.attachment().id)/content")
            }
        }
    }

    @Test func `the whole content has its validators, its digest, and cannot be shown`() async throws {
        try await withContent { backend, path in
            let reply = try await backend.send(.get, path)
            #expect(reply.status == 200 && reply.body == Self.content)
            #expect(reply["Content-Length"] == "10" && reply["Accept-Ranges"] == "bytes")
            #expect(reply["Content-Type"] == "text/html" && reply["X-Content-Type-Options"] == "nosniff")
            #expect(reply["Content-Disposition"] == "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt")
            #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
            #expect(reply["Cache-Control"] == "private, no-cache")
            let digest = Data(SHA256.hash(data: Self.content)).base64EncodedString()
            #expect(reply["Repr-Digest"] == "sha-256=:\(digest):")
            #expect(
                reply["ETag"]?.hasPrefix("\"sha256-84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882")
                    == true)
        }
    }

    @Test func `HEAD says the same without the content`() async throws {
        try await withContent { backend, path in
            let (get, head) = (try await backend.send(.get, path), try await backend.send(.head, path))
            #expect(head.status == 200 && head.body.isEmpty)
            for name in ["Content-Length", "ETag", "Repr-Digest", "Content-Type", "Accept-Ranges"] {
                #expect(head[name] == get[name])
            }
            let ranged = try await backend.send(.head, path, headers: [.range: "bytes=0-1"])
            #expect(ranged.status == 200 && ranged["Content-Length"] == "10")
        }
    }

    @Test(arguments: [
        ("bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes=2-4", 206, "234", "bytes 2-4/10"),
        ("bytes=8-", 206, "89", "bytes 8-9/10"), ("bytes=-3", 206, "789", "bytes 7-9/10"),
        ("bytes=-100", 206, "0123456789", "bytes 0-9/10"), ("bytes=5-100", 206, "56789", "bytes 5-9/10"),
        ("bytes=0-1,4-5", 200, "0123456789", nil), ("bytes=4-2", 200, "0123456789", nil),
        ("items=0-1", 200, "0123456789", nil),
    ])
    func `a range is exactly its bytes`(
        _ range: String, _ status: Int, _ content: String, _ contentRange: String?
    ) async throws {
        try await withContent { backend, path in
            let reply = try await backend.send(.get, path, headers: [.range: range])
            #expect(reply.status == status && reply.body == Data(content.utf8))
            #expect(reply["Content-Range"] == contentRange)
            #expect(reply["Content-Length"] == "\(content.utf8.count)")
            #expect(reply["ETag"] != nil && reply["Repr-Digest"] != nil)
        }
    }

    @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=5000-6000"])
    func `a range behind the end is 416 with the size`(_ range: String) async throws {
        try await withContent { backend, path in
            let reply = try await backend.send(.get, path, headers: [.range: range])
            #expect(reply.status == 416 && reply.code == "range_not_satisfiable")
            #expect(reply["Content-Range"] == "bytes */10")
        }
    }

    @Test func `conditions are kept in their order`() async throws {
        try await withContent { backend, path in
            let reply = try await backend.send(.get, path)
            let tag = try #require(reply["ETag"])
            func status(_ headers: HTTPFields) async throws -> Int {
                try await backend.send(.get, path, headers: headers).status
            }
            #expect(try await status([.ifNoneMatch: tag]) == 304)
            #expect(try await status([.ifNoneMatch: "W/\(tag)"]) == 304)
            #expect(try await status([.ifNoneMatch: "\"x\", \(tag)"]) == 304)
            #expect(try await status([.ifNoneMatch: "*"]) == 304)
            #expect(try await status([.ifNoneMatch: "\"x\""]) == 200)
            #expect(try await status([.ifNoneMatch: tag, .range: "bytes=0-1"]) == 304)
            #expect(try await status([.ifMatch: tag, .range: "bytes=0-1"]) == 206)
            #expect(try await status([.ifMatch: "\"x\"", .range: "bytes=0-1"]) == 412)
            #expect(try await status([.ifMatch: "W/\(tag)"]) == 412)
            #expect(try await status([.ifRange: tag, .range: "bytes=0-1"]) == 206)
            #expect(try await status([.ifRange: "W/\(tag)", .range: "bytes=0-1"]) == 200)
            #expect(try await status([.ifRange: "\"x\"", .range: "bytes=0-1"]) == 200)
            #expect(try await status([.ifRange: "\"x\"", .range: "bytes=50-"]) == 200)
            let head = try await backend.send(.head, path, headers: [.ifNoneMatch: tag])
            #expect(head.status == 304 && head.body.isEmpty)
            let current = try await backend.send(.get, path, headers: [.ifNoneMatch: tag])
            #expect(current.body.isEmpty && current["Content-Length"] == nil && current["ETag"] == tag)
        }
    }

    @Test(arguments: ["garbage", "a/b/c", "text/<script>", nil])
    func `a media type that is none is sent as bytes`(_ type: String?) async throws {
        try await withContent(type: type) { backend, path in
            let reply = try await backend.send(.get, path)
            #expect(reply["Content-Type"] == "application/octet-stream")
        }
    }

    /// What lies in a content's place.
    enum Impostor: CaseIterable {
        case symbolicLink, pipe, directory, sameSize, hardLink, shorter, writtenInPlace

        func replace(_ file: String) throws {
            let files = FileManager.default
            if self != .writtenInPlace { try files.removeItem(atPath: file) }
            let other = Data("9876543210".utf8)
            switch self {
            case .symbolicLink:
                try other.write(to: URL(filePath: file + ".other"))
                try files.createSymbolicLink(atPath: file, withDestinationPath: file + ".other")
            case .pipe: try #require(mkfifo(file, 0o600) == 0)
            case .directory: try files.createDirectory(atPath: file, withIntermediateDirectories: false)
            case .sameSize: try other.write(to: URL(filePath: file))
            case .hardLink:
                try other.write(to: URL(filePath: file + ".other"))
                try files.linkItem(atPath: file + ".other", toPath: file)
            case .shorter: try Data("0".utf8).write(to: URL(filePath: file))
            case .writtenInPlace:
                let handle = try FileHandle(forUpdating: URL(filePath: file))
                try handle.write(contentsOf: other)
                try handle.close()
            }
        }
    }

    @Test(arguments: Impostor.allCases)
    func `another file in a content's place is never sent`(_ impostor: Impostor) async throws {
        try await withContent(in: [.files]) { backend, path in
            // Once while it is whole: that it was verified counts for this file in this state only.
            #expect(try await backend.send(.get, path).status == 200)
            try impostor.replace(backend.directory + "/" + (backend.files.first ?? ""))
            for headers in [HTTPFields(), [.range: "bytes=0-1"]] {
                let reply = try await backend.send(.get, path, headers: headers)
                #expect(reply.status == 410 && reply.code == "content_damaged")
            }
        }
    }

    @Test func `a content whose file is gone is 410 with a reason, and its description stays`() async throws {
        try await withContent(in: [.files]) { backend, path in
            try FileManager.default.removeItem(atPath: backend.directory + "/" + (backend.files.first ?? ""))
            let reply = try await backend.send(.get, path)
            #expect(reply.status == 410 && reply.code == "content_lost")
            #expect(try await backend.send(.get, path.replacing("/content", with: "")).status == 200)
        }
    }

    @Test func `a content that was put back from a backup is sent`() async throws {
        try await withContent(in: [.files]) { backend, path in
            let file = backend.directory + "/" + (backend.files.first ?? "")
            try FileManager.default.removeItem(atPath: file)
            #expect(try await backend.send(.get, path).status == 410)
            try Self.content.write(to: URL(filePath: file))
            #expect(try await backend.send(.get, path).body == Self.content)
        }
    }

    @Test func `a damaged or missing piece in the database is 410 before the first byte is sent`() async throws {
        for (damage, code) in [
            ("UPDATE blob_piece SET bytes = checksum", "content_damaged"),
            ("DELETE FROM blob_piece", "content_damaged"),
            ("DELETE FROM blob", "content_lost"),
        ] {
            try await withContent(in: [.tables]) { backend, path in
                #expect(try await backend.send(.get, path).status == 200)
                try await backend.store.write { try $0.execute(Statement(stringLiteral: damage)) }
                for headers in [HTTPFields(), [.range: "bytes=0-1"]] {
                    let reply = try await backend.send(.get, path, headers: headers)
                    #expect(reply.status == 410 && reply.code == code)
                }
            }
        }
    }

    @Test func `a response ends before its length when a later piece is damaged`() async throws {
        let content = Data(count: 900_000)
        try await withContent([.live], in: [.tables], content: content) { backend, path in
            let port = try #require(backend.client.port)
            try await backend.store.write { try $0.execute("UPDATE blob_piece SET bytes = checksum WHERE number = 2") }
            let socket = try await RawConnection(port: port)
            socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\n\r\n")
            let text = try await socket.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("Content-Length: 900000"))
            #expect((100_000..<600_000).contains(text.utf8.count), "\(text.utf8.count)")
            let range = try await backend.send(.get, path, headers: [.range: "bytes=700000-700001"])
            #expect(range.status == 410)
        }
    }
}
