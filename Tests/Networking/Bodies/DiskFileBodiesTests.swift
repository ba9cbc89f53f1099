import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct DiskFileBodiesTests {
    private let directory: TemporaryDirectory
    private let files = DiskFileBodies()

    init() throws { directory = try TemporaryDirectory() }

    private func bytes(of body: UploadBody) async throws -> Data {
        var bytes = Data()
        for try await chunk in try await body.open() {
            #expect(chunk.count <= 64 * 1024)
            bytes.append(chunk)
        }
        return bytes
    }

    private func failure(_ work: () async throws -> Void) async -> String {
        do {
            try await work()
            return "no failure"
        } catch { return "\(error)" }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_003])
    func `a file is read whole, for every attempt`(size: Int) async throws {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let body = try await files.body(ofFileAt: directory.write("a", content), contentType: "text/csv")
        #expect(body.length == size)
        #expect(body.isReplayable)
        #expect(body.contentType == "text/csv")
        #expect(try await bytes(of: body) == content)
        #expect(try await bytes(of: body) == content)
    }

    @Test func `an unreadable file is an error with its path`() async throws {
        let missing = directory.file("missing")
        #expect(
            await failure { _ = try await files.body(ofFileAt: missing, contentType: nil) }
                == "'\(missing)' cannot be read: No such file or directory. Check the path and who may read it.")
        #expect(
            await failure { _ = try await files.body(ofFileAt: directory.path, contentType: nil) }
                == "'\(directory.path)' is a directory; name a file.")
        #expect(
            await failure { _ = try await files.body(ofFileAt: "/dev/zero", contentType: nil) }
                == "'/dev/zero' is no regular file; name a file.")
    }

    @Test func `a file that was changed since it was chosen is not sent`() async throws {
        let path = try directory.write("a", Data("abc".utf8))
        let body = try await files.body(ofFileAt: path, contentType: nil)
        try directory.write("a", Data("abcdef".utf8))
        let text = await failure { _ = try await bytes(of: body) }
        #expect(
            text
                == "'\(path)' was changed while it was being sent: it had 3 bytes, now 6. Send it again when it is finished."
        )
    }

    @Test func `a file that is removed before it is opened is missing`() async throws {
        let path = try directory.write("a", Data("abc".utf8))
        let body = try await files.body(ofFileAt: path, contentType: nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(await failure { _ = try await bytes(of: body) }.contains("No such file"))
    }

    @Test(arguments: [-70_000, 1])
    func `a file whose length changes while it is read stops the body`(change: Int) async throws {
        let path = try directory.write("a", Data(count: 100_000))
        var chunks = try await files.body(ofFileAt: path, contentType: nil).open().makeAsyncIterator()
        #expect(try await chunks.next(isolation: nil)?.count == 65_536)
        // Written through the same inode, as a program that logs into the file would.
        let handle = try #require(fopen(path, "r+"))
        ftruncate(fileno(handle), 100_000 + change)
        fclose(handle)
        let text = await failure { while try await chunks.next(isolation: nil) != nil {} }
        #expect(text.contains("was changed while it was being sent"))
    }

    @Test func `a file of the same length with other content stops the body before its last bytes`() async throws {
        let path = try directory.write("a", Data(count: 100_000))
        // Long ago, so that the change falls on another tick of the file system's clock.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
        var chunks = try await files.body(ofFileAt: path, contentType: nil).open().makeAsyncIterator()
        #expect(try await chunks.next(isolation: nil)?.count == 65_536)
        let handle = try #require(fopen(path, "r+"))
        fputs("other", handle)
        fclose(handle)
        var received = 65_536
        let text = await failure {
            while let chunk = try await chunks.next(isolation: nil) { received += chunk.count }
        }
        #expect(
            text
                == "'\(path)' was changed while it was being sent: it had 100000 bytes, now others. Send it again when it is finished."
        )
        #expect(received < 100_000)
    }

    @Test func `a file that was replaced while it is read is sent as it was`() async throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 >> 4) })
        let path = try directory.write("a", content)
        var chunks = try await files.body(ofFileAt: path, contentType: nil).open().makeAsyncIterator()
        var received = try #require(try await chunks.next(isolation: nil))
        try directory.write("b", Data(count: 100_000))
        #expect(rename(directory.path + "/b", path) == 0)
        while let chunk = try await chunks.next(isolation: nil) { received.append(chunk) }
        #expect(received == content)
    }

    @Test func `a form of files crosses a real connection with its exact length`() async throws {
        let photo = Data(repeating: UInt8(ascii: "p"), count: 200_000)
        let path = try directory.write("photo", photo)
        try await Rig.run(.always(.json(tideJSON))) { rig, server in
            let progress = TransferProgress()
            let form = try MultipartForm([
                .field("title", "Storm"),
                .file("photo", named: path, try await files.body(ofFileAt: path, contentType: "image/png")),
            ]).body(boundary: "B")
            let answer = try await rig.client.upload(
                AddTide(), body: form.counted(by: progress), options: CallOptions())
            progress.finish()
            #expect(answer.value == tide)
            let request = try #require(server.requests.first)
            #expect(request.head.lowercased().contains("content-length: \(form.length ?? 0)"))
            #expect(!request.head.lowercased().contains("transfer-encoding"))
            #expect(request.head.contains("multipart/form-data; boundary=B"))
            #expect(request.body.utf8.count == form.length)
            var last: TransferCount?
            for await count in progress.updates { last = count }
            #expect(last == TransferCount(bytes: Int64(form.length ?? 0), total: form.length.map(Int64.init)))
        }
    }

    @Test func `the real transport reports a file that changes`() async throws {
        let path = try directory.write("photo", Data(count: 10))
        try await Rig.run(.always(.json(tideJSON))) { rig, _ in
            let body = try await files.body(ofFileAt: path, contentType: "image/png")
            try directory.write("photo", Data(count: 11))
            let text = await failure { _ = try await rig.client.upload(AddTide(), body: body, options: CallOptions()) }
            #expect(text.contains("it had 10 bytes, now 11"))
        }
    }

    @Test func `an upload that fails is sent again from its first byte`() async throws {
        let path = try directory.write("photo", Data("content".utf8))
        let bench = try Bench(then: .json(tideJSON))
        let sent = Shared<[Data]>([])
        for status in [503, 200] {
            bench.transport.append(
                ScriptedTransport.Answer { request in
                    var bytes = Data()
                    for try await chunk in try #require(try await request.body?.open()) { bytes.append(chunk) }
                    sent.change { [bytes] in $0.append(bytes) }
                    return ClientResponse(
                        ResponseHead(status: status, headers: ["Content-Type": "application/json"]),
                        body: ResponseBody(Data(tideJSON.utf8)))
                })
        }
        let body = try await files.body(ofFileAt: path, contentType: nil)
        async let answer = bench.client.upload(AddTide(), body: body, options: CallOptions(idempotencyKey: "k"))
        await bench.clock.waitForSleeper(dueIn: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(500))
        #expect(try await answer.value == tide)
        #expect(sent.value == [Data("content".utf8), Data("content".utf8)])
    }
}
