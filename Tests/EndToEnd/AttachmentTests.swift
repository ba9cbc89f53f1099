import Foundation
import StrataTesting
import Testing

/// Files of journal entries, from one program to the other and back.
@Suite(.serialized) struct AttachmentTests {
    struct Attachment: Decodable, Hashable {
        let id: String
        let entryId: String
        let fileName: String
        let mediaType: String
        let size: Int
        let digest: String

        enum CodingKeys: String, CodingKey {
            case id, size, digest
            case entryId = "entry_id"
            case fileName = "file_name"
            case mediaType = "media_type"
        }
    }

    @Test func `a file that was attached is listed and comes back the same, also after a restart`() async throws {
        let bench = try await AttachmentBench()
        let (path, digest) = try await bench.file("core.bin", mebibytes: 3)
        let added = try await bench.run(["attachments", "add", bench.entry, path, "--json"])
        #expect(added.status == 0, "\(added.err)")
        let attachment = try JSONDecoder().decode(Attachment.self, from: Data(added.out.utf8))
        #expect(attachment.entryId == bench.entry && attachment.fileName == "core.bin" && attachment.size == 3 << 20)
        #expect(attachment.mediaType == "application/octet-stream")
        #expect(attachment.digest == "sha-256=:\(AttachmentBench.base64(hex: digest)):")
        #expect(try added.json().keys == AttachmentBench.attachmentKeys)

        let again = try await bench.run(["attachments", "add", bench.entry, path])
        #expect(again.status == 0 && (again.out + again.err).contains("already attached"), "\(again.err)")
        #expect(try await bench.list() == [attachment])

        try await bench.restart(by: SIGTERM)
        #expect(try await bench.list() == [attachment])
        let target = bench.workspace.root + "/back.bin"
        let got = try await bench.run(["attachments", "get", attachment.id, "-o", target, "--json"])
        #expect(got.status == 0, "\(got.err)")
        #expect(try got.json().keys == AttachmentBench.fetchedKeys)
        #expect(try await sha256(ofFileAt: target) == digest)
        #expect(try bench.contents.count == 1, "the same file is stored once")
    }

    @Test func `an attachment that cannot be sent or found has its own exit status`() async throws {
        let bench = try await AttachmentBench(settings: ["SHIFTLOG_ATTACHMENT_BYTES": "1048576"])
        let path = try bench.workspace.write("small\n", to: "small.txt")
        let unknown = "01890000-0000-7000-8000-000000000000"
        let missing = try await bench.run(["attachments", "add", bench.entry, bench.workspace.root + "/nothing"])
        #expect(missing.status == 66 && missing.err.contains("nothing"), "\(missing.err)")
        for arguments in [["add", unknown, path], ["list", unknown], ["get", unknown]] {
            let result = try await bench.run(["attachments"] + arguments)
            #expect(result.status == 66, "\(arguments): \(result.err)")
        }

        let (large, _) = try await bench.file("large.bin", mebibytes: 2)
        let refused = try await bench.run(["attachments", "add", bench.entry, large])
        #expect(refused.status == 65 && refused.err.contains("more than the server takes"), "\(refused.err)")
        #expect(try await bench.list().isEmpty)
        #expect(try bench.contents.isEmpty)

        bench.stop()
        _ = try await bench.program.outcome()
        for arguments in [["add", bench.entry, path], ["list", bench.entry], ["get", unknown]] {
            let result = try await bench.run(["attachments"] + arguments)
            #expect(result.status == 69, "\(arguments): \(result.err)")
        }
    }

    @Test func `a machine may attach and not read, a colleague may read, and a stranger neither`() async throws {
        let bench = try await AttachmentBench()
        let key = try await bench.run(["host-tokens", "create", "web1"])
        #expect(key.status == 0, "\(key.err)")
        let machine = "X-API-Key: " + key.out.trimmingCharacters(in: .whitespacesAndNewlines)
        let sent = try await bench.upload("from the machine", named: "machine.log", header: machine)
        #expect(sent.status == 201, "\(sent.body)")
        let attachment = try #require(try await bench.list().first)
        #expect(attachment.fileName == "machine.log" && attachment.mediaType == "text/plain")
        let paths = [
            "/v1/journal/entries/\(bench.entry)/attachments", "/v1/attachments/\(attachment.id)",
            "/v1/attachments/\(attachment.id)/content",
        ]
        for path in paths {
            #expect(try await bench.get(path, header: machine).status == 403, "a machine reads \(path)")
            #expect(try await bench.get(path, header: nil).status == 401, "a stranger reads \(path)")
            #expect(try await bench.get(path, header: "X-API-Key: wrong").status == 401)
        }
        #expect(try await bench.upload("from nobody", named: "nobody.log", header: nil).status == 401)

        // The journal is one for all members, and so are its files.
        try await bench.addMember("bob")
        let target = bench.workspace.root + "/bob.log"
        let got = try await bench.run(["attachments", "get", attachment.id, "-o", target], home: "bob")
        #expect(got.status == 0, "\(got.err)")
        #expect(try String(contentsOf: URL(filePath: target), encoding: .utf8) == "from the machine")
        let nobody = try await bench.run(["attachments", "get", attachment.id, "-o", target], home: "nobody")
        #expect(nobody.status == 77, "\(nobody.err)")
        #expect(try await bench.list().count == 1)

        // An idempotency key is its member's own: one upload of each counts.
        for token in try ["home", "bob"].map({ try bench.workspace.keptToken("access_token", home: $0) }) {
            for _ in 0..<2 {
                let answer = try await bench.upload(
                    "of \(token.suffix(8))", named: "mine.log", header: "Authorization: Bearer \(token)",
                    key: "one-key-for-both")
                #expect(answer.status == 201, "\(answer.body)")
            }
        }
        let own = try await bench.list().filter { $0.fileName == "mine.log" }
        #expect(own.count == 2 && Set(own.map(\.digest)).count == 2)
    }

    @Test
    func `a server killed in mid-upload has no half attachment, the repeat attaches it once, and a killed get goes on`()
        async throws
    {
        let bench = try await AttachmentBench(isRelayed: true)
        let (path, digest) = try await bench.file("dump.bin", mebibytes: 8)
        bench.relay?.hold(at: 4 << 20)
        let adding = try bench.start(["attachments", "add", bench.entry, path])
        try await eventually("half the file is sent") { bench.relay?.isHeld ?? true }
        bench.kill()
        let broken = try await adding.outcome()
        #expect(broken.status == 69, "\(broken.err)")

        bench.relay?.hold(at: nil)
        try await bench.restart()
        #expect(try await bench.list().isEmpty)
        let repeated = try await bench.run(["attachments", "add", bench.entry, path])
        #expect(repeated.status == 0, "\(repeated.err)")
        #expect(try await bench.run(["attachments", "add", bench.entry, path]).status == 0)
        let listed = try await bench.list()
        #expect(listed.map(\.digest) == ["sha-256=:\(AttachmentBench.base64(hex: digest)):"])

        // And a get that is killed goes on where it stopped.
        let id = try #require(listed.first).id
        let target = bench.workspace.root + "/back.bin"
        bench.relay?.hold(at: 4 << 20)
        let getting = try bench.start(["attachments", "get", id, "-o", target])
        // Its head and a few more bytes of the connection are no content.
        try await eventually("half the file is there") { fileSize(target + ".part") > (4 << 20) - 65_536 }
        getting.signal(SIGKILL)
        _ = try await getting.outcome()
        let kept = fileSize(target + ".part")
        bench.relay?.hold(at: nil)

        let result = try await bench.run(["attachments", "get", id, "-o", target, "--json"])
        #expect(result.status == 0, "\(result.err)")
        #expect(try result.json()["resumed_from"].int == kept)
        #expect(try await sha256(ofFileAt: target) == digest)
    }

    @Test func `an upload whose client and server are killed in turn goes on from the stored bytes`() async throws {
        let bench = try await AttachmentBench(isRelayed: true)
        let (path, digest) = try await bench.file("dump.bin", mebibytes: 24)
        for killsServer in [false, true, false] {
            bench.relay?.hold(at: 4 << 20)
            let adding = try bench.start(["attachments", "add", bench.entry, path])
            try await eventually("a part of the file is sent") { bench.relay?.isHeld ?? true }
            if killsServer {
                bench.kill()
                let broken = try await adding.outcome()
                #expect(broken.status == 69 && broken.err.contains("kept"), "\(broken.err)")
                bench.relay?.hold(at: nil)
                try await bench.restart()
            } else {
                adding.signal(SIGKILL)
                _ = try await adding.outcome()
                bench.relay?.hold(at: nil)
            }
            #expect(try await bench.list().isEmpty)
        }
        let last = try await bench.run(["attachments", "add", bench.entry, path])
        #expect(last.status == 0, "\(last.err)")
        let text = last.out + last.err
        let start = (try? /Went on from byte ([0-9]+)\./.firstMatch(in: text)).flatMap { Int($0.1) }
        // The first client was killed when 4 MiB were on their way; its server stored them.
        let stored = try #require(start, "\(text)")
        #expect(stored >= 1 << 20)
        #expect(try await bench.list().map(\.digest) == ["sha-256=:\(AttachmentBench.base64(hex: digest)):"])
        let records = try FileManager.default.contentsOfDirectory(
            atPath: bench.workspace.root + "/home/state/uploads/default")
        #expect(records.isEmpty)

        // The client's part is gone, and a second run finds the file at the server.
        let again = try await bench.run(["attachments", "add", bench.entry, path])
        #expect(again.status == 0 && (again.out + again.err).contains("already attached"), "\(again.err)")
        #expect(try bench.contents.count == 1)
    }
}
