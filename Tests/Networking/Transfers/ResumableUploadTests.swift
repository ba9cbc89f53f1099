import Crypto
import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Uploads to a server that can resume them, with nothing replaced but the transport.
struct ResumableUploadTests {
    private struct Stored: Codable, Sendable, Equatable { var size: Int }
    private struct SendFile: ManualEndpoint {
        typealias Response = Stored
        var method: StrataDomain.HTTPMethod { .post }
        var path: String { "/files" }
    }

    /// Three pieces of 64 KiB and some bytes.
    private static let whole = FileOrigin.bytes(200_000)
    private let directory: TemporaryDirectory
    private let origin = UploadOrigin(whole)

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("a", Self.whole)
    }

    private func bench(retrying: Bool = false) throws -> Bench {
        try Bench(then: origin.answer, resilience: retrying ? .atOnce : ResilienceOptions(retry: .never))
    }

    private func upload(
        _ bench: Bench, digest: Bool = true, key: String? = "k", progress: TransferProgress? = nil
    ) async throws -> UploadedFile<Stored>? {
        let content = try #require(directory.content("a"))
        let uploads = ResumableUploads(
            client: bench.client, resilience: bench.resilience, records: directory.file("records"))
        let request = UploadRequest(
            path: directory.file("a"), fileName: "a", contentType: "text/plain",
            digest: digest ? ContentDigest(.sha256, Data(SHA256.hash(data: content))) : nil, progress: progress)
        return try await uploads.upload(SendFile(), request, options: CallOptions(idempotencyKey: key))
    }

    private func methods(_ bench: Bench) -> [String] { bench.transport.requests.map(\.method.rawValue) }

    private var records: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.file("records"))) ?? []).sorted()
    }

    @Test func `while nothing fails, the content goes in one request and no record stays`() async throws {
        let bench = try bench()
        let progress = TransferProgress()
        let file = try #require(try await upload(bench, progress: progress))
        #expect(file.response.value == Stored(size: Self.whole.count) && file.resumedFrom == 0)
        #expect(origin.current.content == Self.whole)
        #expect(methods(bench) == ["POST", "PATCH"])
        let (creation, append) = (bench.transport.requests[0].headers, bench.transport.requests[1].headers)
        #expect(creation["Upload-Complete"] == "?0" && creation["Upload-Length"] == "200000")
        #expect(creation["Content-Disposition"] == "inline; filename=\"a\"; filename*=UTF-8''a")
        #expect(creation["Content-Type"] == "text/plain" && creation["Idempotency-Key"] == "k")
        #expect(creation["Repr-Digest"] == ContentDigest(.sha256, Data(SHA256.hash(data: Self.whole)))?.field)
        #expect(append["Upload-Complete"] == "?1" && append["Upload-Offset"] == "0")
        #expect(append["Content-Type"] == "application/partial-upload" && append["Idempotency-Key"] == nil)
        #expect(records.isEmpty)
        progress.finish()
        var last: TransferCount?
        for await count in progress.updates { last = count }
        #expect(last == TransferCount(bytes: 200_000, total: 200_000))
    }

    @Test(arguments: [
        // The connection is lost before, in and after the first piece, between pieces, and one byte before the end.
        (0, ["HEAD", "PATCH"]), (10, ["HEAD", "PATCH"]), (65_536, ["HEAD", "PATCH"]), (131_072, ["HEAD", "PATCH"]),
        (199_999, ["HEAD", "PATCH"]), (200_000, ["HEAD", "PATCH"]),
    ])
    func `the next run goes on where the connection was lost`(_ cut: Int, _ next: [String]) async throws {
        origin.fail(nil, cut == 0 ? .refused : .cut(cut))
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        #expect(records.count == 2, "the record and its lock")
        let second = try bench()
        let file = try #require(try await upload(second))
        #expect(methods(second) == next)
        #expect(second.transport.requests.last?.headers["Upload-Offset"] == "\(cut)")
        #expect(file.resumedFrom == Int64(cut) && file.response.value.size == Self.whole.count)
        #expect(origin.current.content == Self.whole && origin.current.arrived == Self.whole.count)
        #expect(records.isEmpty)
    }

    @Test func `a lost response to the creation makes no second upload`() async throws {
        origin.fail(.answerLost)
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        #expect(records.isEmpty)
        let second = try bench()
        _ = try await upload(second)
        #expect(methods(second) == ["POST", "PATCH"] && origin.current.content == Self.whole)
    }

    @Test func `a lost response to the last byte is asked for again, and nothing is sent twice`() async throws {
        origin.fail(nil, .answerLost)
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        let second = try bench()
        let file = try #require(try await upload(second))
        #expect(methods(second) == ["HEAD", "POST"] && file.resumedFrom == 200_000)
        #expect(origin.current.arrived == Self.whole.count && records.isEmpty)
    }

    @Test func `without an idempotency key, a lost last response is an error and no second upload`() async throws {
        origin.fail(nil, .answerLost)
        await #expect(throws: NetworkError.self) { try await upload(bench(), key: nil) }
        let second = try bench()
        let error = await #expect(throws: NetworkError.self) { try await upload(second, key: nil) }
        #expect(error.map { "\($0)".contains("its response was lost") } == true)
        #expect(methods(second) == ["HEAD"])
    }

    @Test func `one run survives as many losses as it makes progress between`() async throws {
        origin.fail(nil, .cut(10), nil, .cut(70_000), nil, .refused, nil, .cut(1), nil, .answerLost)
        let bench = try bench(retrying: true)
        let file = try #require(try await upload(bench))
        #expect(file.resumedFrom == 0 && file.response.value.size == Self.whole.count)
        #expect(origin.current.content == Self.whole && origin.current.arrived == Self.whole.count)
        #expect(methods(bench).suffix(3) == ["PATCH", "HEAD", "POST"])
    }

    @Test func `a server that takes no byte ends the run after the attempts of the retry policy`() async throws {
        let bench = try bench(retrying: true)
        origin.fail(nil, .refused, nil, .refused, nil, .refused, nil, .refused)
        await #expect(throws: NetworkError.self) { try await upload(bench) }
        #expect(methods(bench) == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    }

    @Test(arguments: [true, false])
    func `a file that changed since is sent anew, and the old upload is cancelled`(_ hasDigest: Bool) async throws {
        origin.fail(nil, .cut(70_000))
        await #expect(throws: NetworkError.self) { try await upload(bench(), digest: hasDigest) }
        let other = Data(Self.whole.reversed())
        try directory.write("a", other)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: directory.file("a"))
        let second = try bench()
        let file = try #require(try await upload(second, digest: hasDigest))
        #expect(methods(second) == ["DELETE", "POST", "PATCH"] && file.resumedFrom == 0)
        #expect(origin.current.content == other)
    }

    @Test(arguments: [404, 410])
    func `an upload that the server has dropped is begun anew`(_ status: Int) async throws {
        origin.fail(nil, .cut(70_000))
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        origin.change { ($0.exists, $0.content) = (false, Data()) }
        origin.fail(.status(status))
        let second = try bench()
        let file = try #require(try await upload(second))
        #expect(methods(second) == ["HEAD", "POST", "PATCH"] && file.resumedFrom == 0)
        #expect(origin.current.content == Self.whole)
    }

    @Test func `records of other uploads are removed after 30 days, and the one in use is not`() async throws {
        origin.fail(nil, .cut(70_000))
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        let second = try bench()
        let day: TimeInterval = 86_400
        func make(_ name: String, days: Double) throws {
            let path = "records/\(name)"
            if !records.contains(name) { try directory.write(path, Data("{}".utf8)) }
            try FileManager.default.setAttributes(
                [.modificationDate: second.wallClock.now.addingTimeInterval(-days * day)],
                ofItemAtPath: directory.file(path))
        }
        let own = try #require(records.first { !$0.hasSuffix(".lock") })
        let (old, young, lock) = (
            String(repeating: "a", count: 64), String(repeating: "b", count: 64),
            String(repeating: "c", count: 64) + ".lock"
        )
        for (name, days) in [
            (own, 40), (old, 31), (old + ".lock", 40), (young, 29), (young + ".lock", 40), (lock, 31), ("note.txt", 40),
        ] as [(String, Double)] {
            try make(name, days: days)
        }
        let file = try #require(try await upload(second))
        #expect(methods(second) == ["HEAD", "PATCH"] && file.resumedFrom == 70_000)
        #expect(records == [young, young + ".lock", "note.txt"])
    }

    @Test func `a server that drops every upload is left alone after three new beginnings`() async throws {
        let bench = try bench(retrying: true)
        for _ in 0..<10 { origin.fail(nil, .status(404), .status(404)) }
        let error = await #expect(throws: NetworkError.self) { try await upload(bench) }
        #expect(error.map { "\($0)".contains("begun anew 3 times") } == true)
        #expect(methods(bench).count { $0 == "POST" } == 4)
    }

    @Test func `bytes of an earlier request that arrive late are not sent again`() async throws {
        origin.fail(nil, .overtaken(70_000))
        let bench = try bench(retrying: true)
        _ = try await upload(bench)
        #expect(methods(bench) == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(origin.current.content == Self.whole && origin.current.arrived == Self.whole.count - 70_000)
    }

    @Test func `a server that takes the empty request for a file is left alone, with a sentence`() async throws {
        origin.fail(.status(201))
        let bench = try bench()
        let error = await #expect(throws: NetworkError.self) { try await upload(bench) }
        #expect(error?.description.contains("cannot resume uploads") == true)
        #expect(methods(bench) == ["POST"] && records.isEmpty)
    }

    @Test(arguments: [415, 405, 501])
    func `a server that cannot resume uploads gets one empty request`(_ status: Int) async throws {
        origin.fail(.status(status))
        let bench = try bench()
        #expect(try await upload(bench) == nil)
        #expect(methods(bench) == ["POST"] && origin.current.arrived == 0 && records.isEmpty)
    }

    @Test func `an upload at another server is refused before a byte is sent`() async throws {
        origin.change { $0.location = "http://evil.test/uploads/1" }
        let bench = try bench()
        let error = await #expect(throws: NetworkError.self) { try await upload(bench) }
        #expect(error.map { "\($0)".contains("another server") } == true)
        #expect(methods(bench) == ["POST"])
    }

    @Test func `the limits of the server are kept`() async throws {
        origin.change { $0.fields = ["Upload-Limit": "max-append-size=90000, max-size=200000"] }
        let bench = try bench()
        _ = try await upload(bench)
        #expect(methods(bench) == ["POST", "PATCH", "PATCH", "PATCH"])
        let appends = bench.transport.requests.dropFirst()
        #expect(appends.map { $0.headers["Upload-Offset"] } == ["0", "90000", "180000"])
        #expect(appends.map { $0.headers["Upload-Complete"] } == ["?0", "?0", "?1"])
        #expect(appends.map { $0.body?.length } == [90_000, 90_000, 20_000])
        #expect(origin.current.content == Self.whole)
    }

    @Test func `a file above the limit of the server is not sent`() async throws {
        origin.change { $0.fields = ["Upload-Limit": "max-size=199999"] }
        let bench = try bench()
        let error = await #expect(throws: NetworkError.self) { try await upload(bench) }
        guard case .status(413, _)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(methods(bench) == ["POST"])
    }

    @Test func `a refused content is an error, and leaves no record`() async throws {
        origin.fail(nil, .status(422, ["Upload-Complete": "?1"]))
        let bench = try bench(retrying: true)
        let error = await #expect(throws: NetworkError.self) { try await upload(bench) }
        guard case .validation? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(methods(bench) == ["POST", "PATCH"] && records.isEmpty)
    }

    @Test func `a damaged record begins the upload anew`() async throws {
        origin.fail(nil, .cut(70_000))
        await #expect(throws: NetworkError.self) { try await upload(bench()) }
        let name = try #require(records.first { !$0.hasSuffix(".lock") })
        try Data("{\"version\":1,".utf8).write(to: URL(filePath: directory.file("records/\(name)")))
        let second = try bench()
        let file = try #require(try await upload(second))
        // The key finds the upload at the server all the same.
        #expect(methods(second) == ["POST", "PATCH"] && file.resumedFrom == 70_000)
        #expect(origin.current.content == Self.whole)
    }

    @Test func `an empty file is sent as an upload of no bytes`() async throws {
        try directory.write("a", Data())
        let bench = try bench()
        let file = try #require(try await upload(bench))
        #expect(file.response.value.size == 0 && methods(bench) == ["POST", "PATCH"])
    }

    @Test func `one file goes to one place once at a time`() async throws {
        let gate = Gate()
        let held = try Bench(.held(by: gate, then: origin.answer), then: origin.answer)
        async let first = upload(held)
        await held.transport.waitForCalls(1)
        let second = try bench()
        let error = await #expect(throws: NetworkError.self) { try await upload(second) }
        #expect(error?.problem?.code == "idempotency_in_flight" && methods(second).isEmpty)
        gate.open()
        _ = try await first
        #expect(origin.current.content == Self.whole)
    }
}
