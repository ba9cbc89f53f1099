import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Cases of other clients' suites that ours had no test for; see `Tests/Networking/retry-and-resume-cases.md`.
struct ResumeCasesTests {
    private let rig: DownloadRig

    init() throws { rig = try DownloadRig() }

    private func interrupt() async throws {
        #expect(try await rig.failure(rig.origin.answer(cut: 4000)).text.contains("cut"))
        #expect(rig.directory.content("a.part")?.count == 4000)
    }

    @Test func `a range with more bytes than it announced is an error, and nothing of it is kept`() async throws {
        try await interrupt()
        let failure = try await rig.failure(
            rig.origin.answer(cut: nil) {
                $0.headers["Content-Range"] = "bytes 4000-9998/10000"
                $0.headers["Content-Length"] = "5999"
            })
        #expect(failure.text.contains("5999 bytes were announced and more were sent"))
        #expect(rig.directory.names.isEmpty)
    }

    @Test func `a range that ends early in good order is followed by the next`() async throws {
        try await interrupt()
        let (content, headers) = (rig.origin.content, rig.origin.headers)
        let first = ScriptedTransport.Answer { _ in
            var headers = headers
            headers["Content-Range"] = "bytes 4000-5999/10000"
            return ClientResponse(
                ResponseHead(status: 206, headers: headers), body: ResponseBody(Data(content[4000..<6000])))
        }
        let (file, transport) = try await rig.download(digest: rig.origin.sha256, first, rig.origin.answer())
        #expect(transport.requests.map { $0.headers["Range"] } == ["bytes=4000-", "bytes=6000-"])
        #expect(file.resumedFrom == 4000)
        #expect(rig.directory.content("a") == content)
    }

    @Test(arguments: ["gzip", "br", "gzip, identity"])
    func `an encoded range is refused and keeps the part`(coding: String) async throws {
        try await interrupt()
        let encoded = rig.origin.answer(cut: nil) { $0.headers["Content-Encoding"] = coding }
        #expect(try await rig.failure(encoded).text.contains("encoded as '\(coding)'"))
        #expect(rig.directory.content("a.part") == rig.origin.content.prefix(4000))
        #expect(try await rig.download(rig.origin.answer()).file.resumedFrom == 4000)
    }

    @Test func `a 404, 410 or 412 for a range is an error and keeps the part`() async throws {
        try await interrupt()
        for status in [404, 410, 412] {
            let failure = try await rig.failure(.status(status))
            #expect(failure.requests == 1)
            #expect(rig.directory.content("a.part")?.count == 4000)
        }
    }

    @Test func `joined bytes that do not match the digest are dropped, and the next run restarts`() async throws {
        try await interrupt()
        // As a disk or another program may damage it.
        try rig.directory.write("a.part", Data(count: 4000))
        await #expect(throws: NetworkError.self) {
            try await rig.download(digest: rig.origin.sha256, rig.origin.answer())
        }
        #expect(rig.directory.names.isEmpty)
        let (file, transport) = try await rig.download(digest: rig.origin.sha256, rig.origin.answer())
        #expect(transport.requests.map { $0.headers["Range"] } == [nil])
        #expect(file.isVerified)
    }
}
