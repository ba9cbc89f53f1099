import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct RequestDataTests {
    private func body(
        _ argument: String, input: MemoryInput = MemoryInput(), mayRepeat: Bool = false
    ) async throws -> UploadBody {
        try await RequestData(argument: argument, input: input).body(mayRepeat: mayRepeat)
    }

    private func bytes(of body: UploadBody) async throws -> Data {
        var bytes = Data()
        for try await piece in try await body.open() { bytes.append(piece) }
        return bytes
    }

    @Test(arguments: [
        (#"{"a":1}"#, "application/json"), ("[]", "application/json"), ("-1", "application/json"),
        (#""x""#, "application/json"), ("{", "application/octet-stream"), ("a=b", "application/octet-stream"),
        ("", "application/octet-stream"), ("é", "application/octet-stream"),
    ])
    func `a JSON body has the media type of JSON`(text: String, type: String) async throws {
        let body = try await body(text)
        #expect(body.contentType == type)
        #expect(body.bytes == Data(text.utf8))
    }

    @Test func `a small body is held in memory and can be sent again`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.json", Data("[1]".utf8))
        let file = try await body("@" + directory.file("a.json"), mayRepeat: true)
        #expect(file.bytes == Data("[1]".utf8) && file.contentType == "application/json")
        let input = try await body("@-", input: MemoryInput([Data("x".utf8), Data("y".utf8)]), mayRepeat: true)
        #expect(input.bytes == Data("xy".utf8) && input.isReplayable)
    }

    @Test func `a large file is read from disk for every attempt`() async throws {
        let directory = try TemporaryDirectory()
        let content = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try directory.write("big", content)
        let body = try await body("@" + directory.file("big"), mayRepeat: true)
        #expect(body.bytes == nil && body.isReplayable && body.length == content.count)
        #expect(body.contentType == "application/octet-stream")
        #expect(try await bytes(of: body) == content)
        #expect(try await bytes(of: body) == content)
    }

    @Test func `large input is streamed once, from its first byte`() async throws {
        let piece = Data(repeating: 7, count: 700_000)
        let body = try await body("@-", input: MemoryInput([piece, piece, piece]))
        #expect(body.bytes == nil && !body.isReplayable && body.length == nil)
        #expect(try await bytes(of: body) == piece + piece + piece)
    }

    @Test func `large input cannot be sent to many calls`() async throws {
        let input = MemoryInput([Data(repeating: 7, count: RequestData.memoryLimit + 1)])
        let error = await #expect(throws: CommandFailure.self) { try await body("@-", input: input, mayRepeat: true) }
        #expect(error?.status == .usage)
    }

    @Test func `a missing file is exit code 66`() async throws {
        let run = try await RequestRun(["request", "POST", "/x", "-d", "@/no/such/file"], ScriptedRawClient())
        #expect(run.status == .notFound)
        #expect(run.errors.text.contains("'/no/such/file'"))
    }

    @Test func `a file that disappears between attempts is a storage error`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("big", Data(repeating: 1, count: RequestData.memoryLimit + 1))
        let body = try await body("@" + directory.file("big"))
        try FileManager.default.removeItem(atPath: directory.file("big"))
        await #expect(throws: NetworkError.self) { _ = try await body.open() }
    }
}
