import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    private let directory: TemporaryDirectory
    private let origin = FileOrigin(content: FileOrigin.bytes(10_000))

    init() throws { directory = try TemporaryDirectory() }

    /// A client whose broken transfers are taken up at once, up to `attempts` times without progress.
    private func bench(_ script: ScriptedTransport.Answer..., attempts: Int = 1) throws -> Bench {
        let policy = try RetryPolicy(attempts: attempts, baseDelay: .zero, longestDelay: .zero)
        let bench = try Bench(resilience: ResilienceOptions(retry: policy))
        for answer in script { bench.transport.append(answer) }
        return bench
    }

    @discardableResult
    private func download(
        _ bench: Bench, digest: ContentDigest? = nil, progress: TransferProgress? = nil, to name: String = "a",
        url: String = "/files/a?token=hidden", headers: HeaderFields = [:],
        write: @escaping PartFile.Write = PartFile.append
    ) async throws -> DownloadedFile {
        var downloads = ResumableDownloads(client: bench.client, resilience: bench.resilience)
        downloads.write = write
        return try await downloads.download(
            RawRequest(.get, url, headers: headers),
            DownloadRequest(path: "\(directory.path)/\(name)", digest: digest, progress: progress))
    }

    private func failure(_ work: () async throws -> Void) async -> NetworkError {
        do {
            try await work()
            return NetworkError(.unexpected("no failure"))
        } catch { return error as? NetworkError ?? NetworkError(.unexpected("\(error)")) }
    }

    /// Leaves the first 4000 bytes behind, as a run that was interrupted does.
    ///
    /// - Parameter isKept: Whether they are left, for a later run to go on from.
    private func interrupt(_ origin: FileOrigin, isKept: Bool = true) async throws {
        let bench = try bench(origin.answer(cut: 4000))
        #expect(await failure { try await download(bench) }.kindText.hasPrefix("connectionLost"))
        #expect(directory.names == (isKept ? ["a.part", "a.part.json"] : []))
        #expect(directory.content("a.part") == (isKept ? origin.content.prefix(4000) : nil))
    }

    @Test func `a file that another program puts in place of the part is not used`() async throws {
        let bench = try bench(origin.answer())
        let other = "\(directory.path)/other"
        try directory.write("other", Data("half of another".utf8))
        let text = await failure {
            try await download(bench) { [path = directory.path] descriptor, bytes throws(Errno) in
                rename(other, "\(path)/a.part")
                try descriptor.append(bytes)
            }
        }.description
        #expect(text.contains("was replaced by another program"))
        #expect(directory.content("a") == nil)
        // Without a record nothing goes on behind it.
        #expect(directory.names == ["a.part"])
        #expect(directory.content("a.part") == Data("half of another".utf8))
    }

    @Test(arguments: [0o444, 0o4755])
    func `a read-only file stays read-only, loses set-user-id and can be resumed`(
        rights: mode_t
    ) async throws {
        try directory.write("a", Data("old".utf8))
        chmod("\(directory.path)/a", rights)
        let cut = try bench(origin.answer(cut: 4000))
        #expect(await failure { try await download(cut) }.kindText.hasPrefix("connectionLost"))
        #expect(try Stat(path: "\(directory.path)/a.part", following: false).permissionBits == rights & 0o777 | 0o600)
        let file = try await download(try bench(origin.answer()))
        #expect(file.resumedFrom == 4000 && directory.content("a") == origin.content)
        var status = stat()
        #expect(stat("\(directory.path)/a", &status) == 0 && status.st_mode & 0o7777 == rights & 0o777)
    }

    @Test func `the new file and its part have the permissions of the old file`() async throws {
        try directory.write("a", Data("old".utf8))
        chmod("\(directory.path)/a", 0o600)
        let rights = Shared<[mode_t]>([])
        try await download(try bench(origin.answer())) { [path = directory.path] descriptor, bytes throws(Errno) in
            let part = (try? Stat(path: "\(path)/a.part", following: false))?.permissionBits
            rights.change { $0.append(part ?? 0) }
            try descriptor.append(bytes)
        }
        #expect(directory.content("a") == origin.content)
        #expect(try Stat(path: "\(directory.path)/a", following: false).permissionBits == 0o600)
        #expect(!rights.value.isEmpty && rights.value.allSatisfy { $0 == 0o600 })
    }

    @Test func `a server that repeats the request in its failure shows no secret of it`() async throws {
        let echo = #"{"detail":"no Bearer topsecret, topkey, hidden here"}"#
        let text = await failure {
            try await download(
                try bench(.json(echo, status: 403)),
                headers: ["Authorization": "Bearer topsecret", "X-API-Key": "topkey"])
        }.description
        #expect(text.contains("no "))
        for secret in ["topsecret", "topkey", "hidden"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test func `a file arrives whole and leaves nothing beside it`() async throws {
        let bench = try bench(origin.answer())
        let file = try await download(bench)
        #expect(directory.content("a") == origin.content)
        #expect(directory.names == ["a"])
        #expect(
            file
                == DownloadedFile(
                    path: directory.path + "/a", bytes: 10_000, digest: try origin.sha256, resumedFrom: 0,
                    isVerified: false))
        let request = try #require(bench.transport.requests.first)
        #expect(request.headers["Accept-Encoding"] == "identity")
        #expect(request.headers["Accept"] == "*/*")
        #expect(request.headers["Range"] == nil)
    }

    @Test func `an existing file is replaced, and an empty one arrives too`() async throws {
        try directory.write("a", Data("old".utf8))
        try await download(try bench(FileOrigin(content: Data()).answer()))
        #expect(directory.content("a") == Data())
        #expect(directory.names == ["a"])
    }

    @Test func `a broken transfer is resumed where it broke`() async throws {
        let bench = try bench(origin.answer(cut: 3500), origin.answer(cut: 2000), origin.answer(), attempts: 2)
        let file = try await download(bench)
        #expect(directory.content("a") == origin.content)
        #expect(file.resumedFrom == 0)
        #expect(bench.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=3500-", "bytes=5500-"])
        #expect(bench.transport.requests.map { $0.headers["If-Range"] } == [nil, "\"v1\"", "\"v1\""])
    }

    @Test func `a transfer without progress ends`() async throws {
        let bench = try bench(origin.answer(cut: 3500), origin.answer(cut: 0), origin.answer(cut: 0), attempts: 3)
        #expect(await failure { try await download(bench) }.kindText.contains("cut"))
        #expect(bench.transport.requests.count == 3)
        #expect(directory.content("a.part")?.count == 3500)
    }

    @Test func `a body that ends early is a broken transfer`() async throws {
        let short = ScriptedTransport.Answer { _ in
            ClientResponse(
                ResponseHead(status: 200, headers: ["ETag": "\"v1\"", "Content-Length": "10000"]),
                body: ResponseBody(origin.content.prefix(10)))
        }
        let bench = try bench(short, origin.answer(), attempts: 2)
        try await download(bench)
        #expect(directory.content("a") == origin.content)
        #expect(bench.transport.requests.last?.headers["Range"] == "bytes=10-")
    }

    @Test func `a later run resumes the part of an earlier one`() async throws {
        try await interrupt(origin)
        let bench = try bench(origin.answer())
        let file = try await download(bench, digest: origin.sha256)
        #expect(directory.content("a") == origin.content)
        #expect(file.resumedFrom == 4000)
        #expect(file.isVerified)
        #expect(directory.names == ["a"])
    }

    @Test func `no secret of the URL is written`() async throws {
        try await interrupt(origin)
        let record = String(decoding: try #require(directory.content("a.part.json")), as: UTF8.self)
        #expect(record.contains("v1"))
        #expect(!record.contains("hidden"))
        #expect(!record.contains("tides.test"))
    }

    /// Each is an answer to a range that must not be joined to ours.
    static let strangers: [(String, @Sendable (inout ResponseHead) -> Void)] = [
        ("wrong offset", { $0.headers["Content-Range"] = "bytes 3999-9998/10000" }),
        ("from the start", { $0.headers["Content-Range"] = "bytes 0-5999/10000" }),
        ("other total", { $0.headers["Content-Range"] = "bytes 4000-9999/10001" }),
        ("beyond the total", { $0.headers["Content-Range"] = "bytes 4000-10000/*" }),
        ("no range", { $0.headers["Content-Range"] = nil }),
        ("no legible range", { $0.headers["Content-Range"] = "bytes 4000-" }),
        ("two ranges", { $0.headers.add("Content-Range", "bytes 4000-9999/10000") }),
        ("several parts", { $0.headers["Content-Type"] = "multipart/byteranges; boundary=B" }),
        ("other tag", { $0.headers["ETag"] = "\"v2\"" }),
        ("weak tag", { $0.headers["ETag"] = "W/\"v1\"" }),
        ("no tag", { $0.headers["ETag"] = nil }),
        ("other length", { $0.headers["Content-Length"] = "10" }),
        ("other digest", { $0.headers["Repr-Digest"] = "sha-256=:\(Data(count: 32).base64EncodedString()):" }),
    ]

    @Test(arguments: strangers.indices)
    func `bytes of other content are never joined`(index: Int) async throws {
        var origin = origin
        origin.headers["Repr-Digest"] = try origin.sha256.field
        try await interrupt(origin)
        let bench = try bench(origin.answer(cut: nil, Self.strangers[index].1), origin.answer())
        let file = try await download(bench)
        #expect(directory.content("a") == origin.content, "\(Self.strangers[index].0)")
        #expect(bench.transport.requests.map { $0.headers["Range"] } == ["bytes=4000-", nil])
        #expect(file.resumedFrom == 0)
    }

    @Test func `a download ends after three wrong ranges`() async throws {
        let wrong: @Sendable (inout ResponseHead) -> Void = { $0.headers["ETag"] = "\"v2\"" }
        let bench = try bench(attempts: 9)
        for _ in 1...5 { bench.transport.append(origin.answer(cut: 100), origin.answer(cut: nil, wrong)) }
        let error = await failure { try await download(bench) }
        #expect(error.kindText.hasPrefix("invalidResponse"))
        #expect(error.description.contains("begun anew 3 times"))
        #expect(bench.transport.requests.count == 8)
    }

    @Test func `changed content restarts the download`() async throws {
        try await interrupt(origin)
        let newer = FileOrigin(content: FileOrigin.bytes(7_000), headers: ["ETag": "\"v2\""])
        let file = try await download(try bench(newer.answer()))
        #expect(directory.content("a") == newer.content)
        #expect(file.resumedFrom == 0)
    }

    @Test func `a range of unknown total is followed to its end`() async throws {
        try await interrupt(origin)
        let bench = try bench(origin.answer { $0.headers["Content-Range"] = "bytes 4000-9999/*" })
        try await download(bench)
        #expect(directory.content("a") == origin.content)
    }

    @Test(arguments: [(nil, "a"), (Int?.some(5), "")])
    func `a complete part is only put in place`(tail: Int?, name: String) async throws {
        // Of a length nobody knew, and broken right after its last byte.
        let bench = try bench(origin.answer(cut: 10_000) { $0.headers["Content-Length"] = nil })
        _ = await failure { try await download(bench) }
        #expect(directory.content("a.part")?.count == 10_000)
        let again = try self.bench(origin.answer())
        let digest = tail == nil ? try origin.sha256 : nil
        let file = try await download(again, digest: digest)
        #expect(again.transport.requests.first?.headers["Range"] == "bytes=10000-")
        #expect(directory.content("a") == origin.content)
        #expect(file.isVerified == (digest != nil))
        #expect(file.resumedFrom == 10_000)
    }

    @Test func `a part as long as the whole with another digest restarts the download`() async throws {
        let other = FileOrigin(content: Data(count: 10_000))
        let bench = try bench(other.answer(cut: 10_000) { $0.headers["Content-Length"] = nil })
        _ = await failure { try await download(bench) }
        let again = try self.bench(origin.answer(), origin.answer())
        try await download(again, digest: origin.sha256)
        #expect(directory.content("a") == origin.content)
        #expect(again.transport.requests.map { $0.headers["Range"] } == ["bytes=10000-", nil])
    }

    @Test func `a 416 for another length restarts the download`() async throws {
        try await interrupt(origin)
        let bench = try bench(.status(416, headers: ["Content-Range": "bytes */300"]), origin.answer())
        try await download(bench)
        #expect(directory.content("a") == origin.content)
    }

    @Test(arguments: [ContentDigest.Algorithm.sha256, .sha512])
    func `content that does not match its digest is not kept`(algorithm: ContentDigest.Algorithm) async throws {
        try directory.write("a", Data("old".utf8))
        let wrong = try #require(ContentDigest(algorithm, Data(count: algorithm.length)))
        let right = algorithm == .sha256 ? try origin.sha256 : try origin.sha512
        var stated = origin
        for name in ["caller", "Repr-Digest", "Content-Digest"] {
            stated.headers = name == "caller" ? [:] : [name: wrong.field]
            let error = await failure {
                try await download(bench(stated.answer()), digest: name == "caller" ? wrong : nil)
            }
            #expect(error.kindText.hasPrefix("invalidResponse"))
            #expect(error.description.contains("is \(right) and should be \(wrong)"))
            #expect(directory.names == ["a"])
            #expect(directory.content("a") == Data("old".utf8))
        }
        stated.headers = ["Repr-Digest": right.field]
        #expect(try await download(bench(stated.answer())).isVerified)
    }

    @Test func `a body longer than announced is an error and not kept`() async throws {
        let bench = try bench(origin.answer { $0.headers["Content-Length"] = "9999" })
        #expect(await failure { try await download(bench) }.description.contains("9999 bytes were announced"))
        #expect(directory.names.isEmpty)
    }

    @Test(
        arguments: [
            (204, [:], "brings no content"), (206, ["Content-Range": "bytes 0-1/2"], "no range was asked for"),
            (200, ["Content-Encoding": "gzip"], "encoded as 'gzip'"), (404, [:], "not found"), (416, [:], "416"),
            (302, ["Location": "ftp://tides.test/b"], "redirect 302 is not followed"),
        ] as [(Int, [String: String], String)])
    func `an answer that is no file leaves nothing behind`(
        status: Int, headers: [String: String], text: String
    ) async throws {
        var fields: HeaderFields = [:]
        for (name, value) in headers { fields.add(name, value) }
        let bench = try bench(.status(status, headers: fields, body: "x"))
        #expect(await failure { try await download(bench) }.description.contains(text))
        #expect(directory.names.isEmpty)
    }

    @Test func `a failure of the server keeps the part`() async throws {
        try await interrupt(origin)
        let bench = try bench(.status(503))
        #expect(await failure { try await download(bench) }.kindText.hasPrefix("server"))
        #expect(directory.names == ["a.part", "a.part.json"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: ["", "{", "[]", #"{"version":2,"source":"x","digests":[]}"#, "null"])
    func `a damaged record is ignored`(record: String) async throws {
        try await interrupt(origin)
        try directory.write("a.part.json", Data(record.utf8))
        let bench = try bench(origin.answer())
        try await download(bench)
        #expect(bench.transport.requests.first?.headers["Range"] == nil)
        #expect(directory.content("a") == origin.content)
    }

    @Test(arguments: ["\"v\r\n1\"", "W/\"v1\"", "v1", "\"\u{1}\""])
    func `a validator that cannot be sent is ignored`(tag: String) async throws {
        try directory.write("a.part", Data("EVIL".utf8))
        let record = PartRecord(source: PartRecord.source(of: "/files/a?token=hidden"), entityTag: tag, total: 10_000)
        try directory.write("a.part.json", JSONEncoder().encode(record))
        let bench = try bench(origin.answer())
        try await download(bench)
        #expect(bench.transport.requests.first?.headers["If-Range"] == nil)
        #expect(directory.content("a") == origin.content)
    }

    @Test func `a part with a second name is not written through`() async throws {
        try directory.write("precious", Data("precious".utf8))
        #expect(link("\(directory.path)/precious", "\(directory.path)/a.part") == 0)
        let bench = try bench(origin.answer())
        #expect(await failure { try await download(bench) }.description.contains("second name"))
        #expect(bench.transport.requests.isEmpty)
        #expect(directory.content("precious") == Data("precious".utf8))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"), arguments: ["a.part", "a.part.json"])
    func `the part of another user is not resumed`(foreign: String) async throws {
        try directory.write("a.part", Data("EVIL".utf8))
        let tag = try #require(origin.headers["ETag"])
        let record = PartRecord(source: PartRecord.source(of: "/files/a?token=hidden"), entityTag: tag, total: 10_000)
        try directory.write("a.part.json", JSONEncoder().encode(record))
        #expect(chown("\(directory.path)/\(foreign)", 65_534, 65_534) == 0)
        let bench = try bench(origin.answer())
        if foreign == "a.part" {
            #expect(await failure { try await download(bench) }.description.contains("another user"))
            #expect(bench.transport.requests.isEmpty)
        } else {
            try await download(bench)
            #expect(directory.content("a") == origin.content)
        }
    }

    @Test func `a record that a killed run left half written is replaced`() async throws {
        try directory.write("precious", Data("precious".utf8))
        #expect(link("\(directory.path)/precious", "\(directory.path)/a.part.json.tmp") == 0)
        try await download(try bench(origin.answer()))
        #expect(directory.content("a") == origin.content)
        #expect(directory.content("precious") == Data("precious".utf8))
    }

    @Test func `the part of another URL is not resumed`() async throws {
        try await interrupt(origin)
        let bench = try bench(origin.answer())
        try await download(bench, url: "/files/b")
        #expect(bench.transport.requests.first?.headers["Range"] == nil)
        #expect(directory.content("a") == origin.content)
    }

    @Test(
        arguments: [
            (["ETag": "W/\"v1\""], nil), ([:], nil), (["ETag": "v1"], nil),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (
                ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (
                [
                    "ETag": "\"s\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date": "Sun, 06 Nov 1994 09:49:38 GMT",
                ],
                "\"s\""
            ),
        ] as [([String: String], String?)])
    func `only a strong validator lets a transfer go on`(headers: [String: String], ifRange: String?) async throws {
        var origin = FileOrigin(content: origin.content, headers: [:])
        for (name, value) in headers { origin.headers.add(name, value) }
        try await interrupt(origin, isKept: ifRange != nil)
        let bench = try bench(origin.answer())
        let file = try await download(bench)
        #expect(bench.transport.requests.first?.headers["If-Range"] == ifRange)
        #expect((bench.transport.requests.first?.headers["Range"] != nil) == (ifRange != nil))
        #expect(file.resumedFrom == (ifRange == nil ? 0 : 4000))
        #expect(directory.content("a") == origin.content)
    }

    @Test func `a write error keeps the part, and the next run resumes it`() async throws {
        let written = Shared(0)
        let full: PartFile.Write = { descriptor, bytes throws(Errno) in
            guard written.value < 4000 else { throw .noSpace }
            written.change { $0 += bytes.count }
            try descriptor.append(bytes)
        }
        let cut = try bench(origin.answer())
        let error = await failure { try await download(cut, write: full) }
        #expect(error.kindText.hasPrefix("storage"))
        #expect(error.description.contains("a.part' cannot be written: No space left on device. Free some space"))
        #expect(error.description.contains("byte 4000"))
        let bench = try bench(origin.answer())
        try await download(bench)
        #expect(bench.transport.requests.first?.headers["Range"] == "bytes=4000-")
        #expect(directory.content("a") == origin.content)
    }

    @Test func `a destination that cannot be replaced is an error before a request is sent`() async throws {
        try FileManager.default.createDirectory(atPath: directory.path + "/d", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/l.part", withDestinationPath: directory.path + "/elsewhere")
        for (name, text) in [
            ("d", "is a directory"), ("none/a", "its directory does not exist"),
            ("../../dev/null/a", "cannot be written"),
            ("l", "symbolic link"), (String(repeating: "x", count: 300), "File name too long"),
        ] {
            let bench = try bench()
            let error = await failure { try await download(bench, to: name) }
            #expect(error.kindText.hasPrefix("storage"), "\(name)")
            #expect(error.description.contains(text), "\(error)")
            #expect(bench.transport.requests.isEmpty)
        }
    }

    @Test func `one destination takes one download at a time`() async throws {
        let gate = Gate()
        let first = try bench(.held(by: gate, then: origin.answer()))
        async let file = download(first)
        await first.transport.waitForCalls(1)
        let error = await failure { try await download(self.bench()) }
        #expect(error.description.contains("is being downloaded by another process"))
        gate.open()
        #expect(try await file.bytes == 10_000)
        #expect(directory.names == ["a"])
    }

    @Test func `cancellation keeps the part`() async throws {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let bench = try bench(
            ScriptedTransport.Answer { _ in
                ClientResponse(
                    ResponseHead(status: 200, headers: ["ETag": "\"v1\"", "Content-Length": "10000"]),
                    body: ResponseBody(stream))
            }, attempts: 3)
        let progress = TransferProgress()
        let task = Task { try await download(bench, progress: progress) }
        continuation.yield(origin.content.prefix(500))
        for await count in progress.updates where count.bytes == 500 { break }
        task.cancel()
        #expect(await failure { _ = try await task.value }.kind == .cancelled)
        #expect(directory.content("a.part") == origin.content.prefix(500))
        let again = try self.bench(origin.answer())
        #expect(try await download(again).resumedFrom == 500)
    }

    @Test(arguments: ["Range", "If-Range", "accept-encoding"])
    func `a range of the caller is refused`(name: String) async throws {
        let bench = try bench()
        let error = await failure { try await download(bench, headers: [name: "bytes=0-1"]) }
        #expect(error.kindText.hasPrefix("invalidRequest"))
        #expect(directory.names.isEmpty)
    }

    @Test func `an endpoint is downloaded too`() async throws {
        let bench = try bench(origin.answer())
        let downloads = ResumableDownloads(client: bench.client, resilience: bench.resilience)
        let file = try await downloads.download(
            ShowTide(), DownloadRequest(path: directory.path + "/t"), options: CallOptions())
        #expect(file.bytes == 10_000)
        #expect(bench.transport.requests.first?.url.path == "/v1/tides/bar")
        #expect(bench.transport.requests.first?.headers["Accept"] == "*/*")
    }

    @Test func `progress reports the last count and ends`() async throws {
        try await interrupt(origin)
        let progress = TransferProgress()
        try await download(bench(origin.answer()), progress: progress)
        var last: TransferCount?
        for await count in progress.updates { last = count }
        #expect(last == TransferCount(bytes: 10_000, total: 10_000, resumedFrom: 4000))
    }
}
