import Foundation
import Glibc
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct InputTests {
    private func file(_ content: Data) throws -> String {
        let path = NSTemporaryDirectory() + "strata-input-\(UUID().uuidString)"
        try content.write(to: URL(filePath: path))
        return path
    }

    @Test func `a file is read in pieces, whole`() async throws {
        let content = Data((0..<200_000).map { UInt8($0 % 251) })
        let path = try file(content)
        defer { unlink(path) }
        let source = try DescriptorSource.open(path, or: MemoryInput())
        #expect(source.size == 200_000)
        let chunks = ByteChunks(source)
        var bytes = Data()
        var pieces = 0
        for try await piece in chunks {
            bytes += piece
            pieces += 1
        }
        #expect(bytes == content)
        #expect(pieces > 1)
        #expect(chunks.bytesRead == 200_000)
    }

    @Test func `an unreadable file is named with the reason, and ends with 66`() {
        let error = #expect(throws: CommandFailure.self) {
            _ = try DescriptorSource.open("/no/such/file", or: MemoryInput())
        }
        #expect(error?.status == .notFound)
        #expect(error?.message?.contains("'/no/such/file'") == true)
        #expect(error?.message?.contains("No such file") == true)
    }

    @Test func `a directory is refused as input`() {
        let error = #expect(throws: CommandFailure.self) { _ = try DescriptorSource.open("/tmp", or: MemoryInput()) }
        #expect(error?.status == .rejected)
        #expect(error?.message?.contains("directory") == true)
    }

    @Test func `text that is not UTF-8 is refused by name`() async throws {
        let path = try file(Data([0x61, 0xFF]))
        defer { unlink(path) }
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) { try await console.text(of: path, limit: 10) }
        #expect(error.map(ExitStatus.init) == .rejected)
        #expect(error?.description.contains(path) == true)
    }

    @Test func `a text of the limit is accepted, a longer one refused`() async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput([Data("abc".utf8), Data("de".utf8)]))
        #expect(try await console.text(of: "-", limit: 5) == "abcde")
        await #expect(throws: DomainError.self) { try await console.text(of: "-", limit: 4) }
    }

    @Test func `a character cut between two pieces stays whole`() async throws {
        let bytes = Array("ä".utf8)
        let input = MemoryInput([Data([bytes[0]]), Data([bytes[1]])])
        #expect(try await input.bytes().text(limit: 9, name: "-") == "ä")
    }

    @Test(arguments: [("secret\n", "secret"), ("secret", "secret"), ("a\n\n", "a\n"), ("a\r\n", "a"), ("", "")])
    func `a password from a pipe loses one line break`(text: String, password: String) async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput(text))
        #expect(try await console.passwordFromInput().reveal() == password)
    }

    @Test func `cancelling the task ends a read that waits`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (read, write) = (ends[0], ends[1])
        let task = Task {
            try await DescriptorSource(descriptor: read, name: "pipe", closes: true).next()
        }
        task.cancel()
        await #expect(throws: DomainError.cancelled) { try await task.value }
        close(write)  // ends the reading thread
    }

    @Test func `reading a closed descriptor is an error, not the end`() async throws {
        let source = DescriptorSource(descriptor: -1, name: "gone", closes: false)
        let error = await #expect(throws: DomainError.self) { try await source.next() }
        #expect(error?.description.contains("gone") == true)
    }
}
