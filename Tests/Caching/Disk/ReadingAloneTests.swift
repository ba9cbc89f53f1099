import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// What a process leaves on the disk that only reads, as most runs of a program do.
struct ReadingAloneTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    let digest = KeyDigest(.tide())
    init() throws { directory = try TemporaryDirectory() }

    func record(_ text: String = "value") -> DiskRecord {
        let span = EntrySpan(storedAt: clock.now, lifetime: .seconds(60), staleFor: .seconds(60))
        return StoredEntry(type: "String", span: span, tags: [], payload: Data(text.utf8)).record
    }

    func opened(_ tier: DiskTier) async { _ = await tier.reading { $0.usage() } }

    /// Bytes and time of the last change of a file.
    func state(_ file: String) throws -> (bytes: Data, changed: [Int]) {
        var status = stat()
        try #require(lstat(file, &status) == 0)
        let bytes = try #require(FileManager.default.contents(atPath: file))
        return (bytes, [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)])
    }

    @Test func `a process that only reads writes neither into the file nor into its log`() async throws {
        do { #expect(tier(in: directory).store(record(), for: digest, replacing: [], if: nil) == .stored) }
        let file = try #require(try databases(in: directory).last)
        let before = try state(file)
        do {
            let tier = tier(in: directory)
            await opened(tier)
            for _ in 0..<10 { #expect(tier.record(digest) != nil) }
            #expect(try state(file + "-wal").bytes.isEmpty)
            #expect(tier.record(KeyDigest(.tide("missing"))) == nil)
        }
        // The queue of a tier may hold it a moment longer than its owner does.
        try await eventually("the last has closed") { !FileManager.default.fileExists(atPath: file + "-wal") }
        let after = try state(file)
        #expect(after.bytes == before.bytes)
        #expect(after.changed == before.changed)
        #expect(!FileManager.default.fileExists(atPath: file + "-shm"))
    }

    @Test func `a log that a killed process left is read, and emptied by the last to close`() async throws {
        let other = try TemporaryDirectory()
        let folder = other.path + "/responses"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let writer = tier(in: directory)
        _ = writer.store(record(), for: digest, replacing: [], if: nil)
        let file = try #require(try databases(in: directory).last)
        let copy = folder + "/" + URL(filePath: file).lastPathComponent
        for part in ["", "-wal"] { try FileManager.default.copyItem(atPath: file + part, toPath: copy + part) }
        #expect(try !state(copy + "-wal").bytes.isEmpty)
        for _ in 0..<2 {
            let tier = tier(in: other)
            await opened(tier)
            #expect(tier.record(digest) != nil)
        }
        try await eventually("the last has closed") { !FileManager.default.fileExists(atPath: copy + "-wal") }
        #expect(writer.record(digest) != nil)
    }
}
