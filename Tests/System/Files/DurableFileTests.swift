import Foundation
import StrataSystem
import StrataTesting
import Testing

@Suite("Durable file", .serialized) struct DurableFileTests {
    let directory: TemporaryDirectory
    var file: DurableFile { DurableFile(directory.file("note")) }

    init() throws { directory = try TemporaryDirectory() }

    private func content() -> String? {
        FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `the content is replaced as a whole, and no temporary file stays`() throws {
        try file.replace(with: "first, and longer".utf8)
        try file.replace(with: "second".utf8)
        #expect(content() == "second")
        #expect(directory.names == ["note"])
    }

    @Test(arguments: [0o000, 0o777] as [mode_t])
    func `only the owner may read the new file, with any umask`(mask: mode_t) throws {
        try withUmask(mask) { try file.replace(with: "x".utf8) }
        #expect(try Stat(path: file.path, following: false).permissionBits == 0o600)
    }

    @Test func `a symbolic link is replaced, and its target is unchanged`() throws {
        try "precious".write(toFile: directory.file("target"), atomically: true, encoding: .utf8)
        #expect(symlink(directory.file("target"), file.path) == 0)
        try file.replace(with: "x".utf8)
        #expect(try Stat(path: file.path, following: false).isRegular)
        #expect(try String(contentsOfFile: directory.file("target"), encoding: .utf8) == "precious")
    }

    @Test func `a failed replacement keeps the old file and leaves no temporary one`() throws {
        #expect(mkdir(file.path, 0o700) == 0)
        #expect(throws: Errno.self) { try file.replace(with: "x".utf8) }
        #expect(directory.names == ["note"])
        #expect(throws: Errno.noSuchFileOrDirectory) { try DurableFile(directory.file("none/note")).replace(with: []) }
    }

    @Test func `a temporary file of a killed writer is not reused`() throws {
        let temporary = directory.file("note.tmp")
        try "secret".write(toFile: temporary, atomically: true, encoding: .utf8)
        #expect(link(temporary, directory.file("other name")) == 0)
        try file.replace(with: "x".utf8, through: temporary)
        #expect(content() == "x")
        #expect(directory.names == ["note", "other name"])
        #expect(try String(contentsOfFile: directory.file("other name"), encoding: .utf8) == "secret")
    }

    @Test func `concurrent readers see the whole old or new content`() async throws {
        let file = file
        try file.replace(with: String(repeating: "0", count: 5_000).utf8)
        try await withThrowingTaskGroup { group in
            for writer in 1...3 {
                group.addTask {
                    for _ in 0..<20 {
                        try await runBlocking {
                            try file.replace(with: String(repeating: "\(writer)", count: 5_000).utf8)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        let bytes = try #require(FileManager.default.contents(atPath: file.path))
                        #expect(bytes.count == 5_000 && bytes.allSatisfy { $0 == bytes.first })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(directory.names == ["note"])
    }

    @Test func `removing a file deletes it, and a missing file is an error`() throws {
        try file.replace(with: "x".utf8)
        try file.remove()
        #expect(directory.names == [])
        #expect(throws: Errno.noSuchFileOrDirectory) { try file.remove() }
    }

    @Test func `a file is read up to its limit`() throws {
        try file.replace(with: "12345".utf8)
        func read(limit: Int) throws -> Data {
            let descriptor = try openFile(file.path, O_RDONLY)
            defer { descriptor.release() }
            return try descriptor.readAll(limit: limit)
        }
        #expect(try read(limit: 5) == Data("12345".utf8))
        #expect(throws: Errno.fileTooLarge) { try read(limit: 4) }
    }
}
