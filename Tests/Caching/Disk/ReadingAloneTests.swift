import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// What a process leaves on the disk that only reads, as most runs of a program do.
struct ReadingAloneTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    func disk() -> TwoTierCache { CacheKind.disk.make(in: directory, clock: clock, limits: CacheLimits()) }

    func fill(_ metres: Double = 1) async {
        await disk().store(
            Tide(station: "s", metres: metres), for: .tide(), lifetime: .seconds(60), tags: ["tides"])
    }

    /// Bytes and time of the last change of the database.
    func state(_ file: String) throws -> (bytes: Data, changed: [Int]) {
        var status = stat()
        try #require(lstat(file, &status) == 0)
        let bytes = try #require(FileManager.default.contents(atPath: file))
        return (bytes, [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)])
    }

    @Test func `a cache that only reads writes neither into the file nor into its log`() async throws {
        await fill()
        let file = try #require(try databases(in: directory).last)
        let before = try state(file)
        do {
            let cache = disk()
            for _ in 0..<10 { #expect(await cache.value(Tide.self, for: .tide()) != nil) }
            #expect(await cache.value(Tide.self, for: .tide("missing")) == nil)
            #expect(try state(file + "-wal").bytes.isEmpty)
        }
        let after = try state(file)
        #expect(after.bytes == before.bytes)
        #expect(after.changed == before.changed)
        #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: file + "-shm"))
    }

    @Test func `the first write after reads is seen by its own reads and by others`() async {
        await fill()
        let (first, second) = (disk(), disk())
        #expect(await first.value(Tide.self, for: .tide())?.value.metres == 1)
        #expect(await second.value(Tide.self, for: .tide())?.value.metres == 1)
        await first.store(Tide(station: "s", metres: 2), for: .tide(), lifetime: .seconds(60), tags: ["tides"])
        #expect(await first.value(Tide.self, for: .tide())?.value.metres == 2)
        #expect(await second.value(Tide.self, for: .tide())?.value.metres == 2)
        await second.removeAll(tagged: "tides")
        #expect(await first.value(Tide.self, for: .tide()) == nil)
    }

    @Test func `a log that a killed process left is read, and emptied by the last to close`() async throws {
        let writer = disk()
        await writer.store(Tide.low, for: .tide(), lifetime: .seconds(60), tags: [])
        let file = try #require(try databases(in: directory).last)
        let other = try TemporaryDirectory()
        let folder = other.path + "/responses"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let copy = folder + "/" + URL(filePath: file).lastPathComponent
        for part in ["", "-wal"] { try FileManager.default.copyItem(atPath: file + part, toPath: copy + part) }
        #expect(try !state(copy + "-wal").bytes.isEmpty)
        do {
            let cache = CacheKind.disk.make(in: other, clock: clock, limits: CacheLimits())
            #expect(await cache.value(Tide.self, for: .tide())?.value == .low)
        }
        #expect(!FileManager.default.fileExists(atPath: copy + "-wal"))
        let cache = CacheKind.disk.make(in: other, clock: clock, limits: CacheLimits())
        #expect(await cache.value(Tide.self, for: .tide())?.value == .low)
        _ = await writer.stats()
    }
}
