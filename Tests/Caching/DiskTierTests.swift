import Foundation
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// The file behind the cache: its mode, its size, and damage.
struct DiskTierTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    func disk(limits: CacheLimits = CacheLimits()) -> TwoTierCache {
        CacheKind.disk.make(in: directory, clock: clock, limits: limits)
    }

    func fill(_ cache: TwoTierCache, _ count: Int = 20) async {
        for number in 0..<count {
            await cache.store(
                Tide(station: "\(number)", metres: Double(number)), for: .tide("\(number)"), lifetime: .seconds(60),
                tags: ["tides"])
        }
    }

    /// How many of the entries `fill` wrote are there; each must be the right one.
    func survivors(_ cache: TwoTierCache, _ count: Int = 20) async -> Int {
        var found = 0
        for number in 0..<count {
            guard let tide = await cache.value(Tide.self, for: .tide("\(number)"))?.value else { continue }
            #expect(tide == Tide(station: "\(number)", metres: Double(number)))
            found += 1
        }
        return found
    }

    @Test func `nothing is opened or made before the first use`() throws {
        _ = disk()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test func `directory and files are private to the user at any umask`() async throws {
        let old = umask(0)
        defer { umask(old) }
        let cache = disk()
        await fill(cache)
        let folder = directory.path + "/responses"
        #expect(try mode(folder) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.sorted() == ["cache.sqlite", "cache.sqlite-shm", "cache.sqlite-wal"])
        for name in names { #expect(try mode("\(folder)/\(name)") == 0o600) }
    }

    @Test func `a clear removes what an interrupted clear left, and no folder of another name`() async throws {
        let cache = disk()
        await fill(cache)
        let left = "responses.old-\(UUID().uuidString)"
        for name in [left, "responses.old-mine"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)", withIntermediateDirectories: false)
            try Data("CANARY".utf8).write(to: URL(filePath: "\(directory.path)/\(name)/cache.sqlite"))
        }
        try await cache.clear()
        #expect(directory.names == ["responses.old-mine"])
        // Also one whose process ended after the folder was renamed.
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/\(left)", withIntermediateDirectories: false)
        try await cache.clear()
        #expect(directory.names == ["responses.old-mine"])
    }

    @Test func `a cleared value is gone from file and log`() async throws {
        let cache = disk()
        await cache.store("CANARY-value", for: .tide(), lifetime: .seconds(60), tags: ["CANARY-tag"])
        await fill(cache)
        try await cache.clear()
        for file in try databases(in: directory) {
            for suffix in ["", "-wal"] {
                let bytes = FileManager.default.contents(atPath: file + suffix) ?? Data()
                #expect(bytes.firstRange(of: Data("CANARY".utf8)) == nil, "\(suffix)")
            }
        }
        #expect(await cache.stats().entries == 0)
    }

    @Test func `eight caches writing into one new file at once lose nothing`() async throws {
        let logs = LogRecorder()
        var limits = CacheLimits()
        limits.memoryEntries = 0
        await withTaskGroup { group in
            for writer in 0..<8 {
                let cache = TwoTierCache(directory: directory.path, limits: limits, clock: clock, logger: logs.logger())
                group.addTask {
                    for number in 0..<20 {
                        await cache.store(
                            Tide.high, for: .tide("\(writer)-\(number)"), lifetime: .seconds(60), tags: [])
                    }
                }
            }
        }
        #expect(await disk().stats().entries == 160)
        #expect(logs.lines == [])
        #expect(try databases(in: directory).count == 1)
    }

    @Test func `a value over a quarter of the limit is not stored, and the one before it is removed`() async {
        let cache = disk(limits: CacheLimits(diskBytes: 400_000))
        await fill(cache)
        await cache.store("small", for: .tide("x"), lifetime: .seconds(60), tags: [])
        await cache.store(String(repeating: "x", count: 100_001), for: .tide("x"), lifetime: .seconds(60), tags: [])
        #expect(await cache.value(String.self, for: .tide("x")) == nil)
        #expect(await survivors(cache) == 20)
    }

    @Test func `the least recently used entries are evicted first`() async {
        let cache = disk(limits: CacheLimits(diskBytes: 400_000))
        let text = String(repeating: "x", count: 10_000)
        for number in 0..<300 {
            await cache.store(text, for: .tide("\(number)"), lifetime: .seconds(60), tags: [])
            #expect(await cache.value(String.self, for: .tide("0")) != nil, "after \(number)")
        }
        #expect(await cache.value(String.self, for: .tide("1")) == nil)
        #expect(await cache.value(String.self, for: .tide("299")) != nil)
    }

    @Test func `expired entries are evicted before live ones`() {
        let tier = DiskTier(
            directory.path, namespace: "responses", limit: 400_000, clock: clock, logger: .silent)
        func store(_ numbers: Range<Int>, lifetime: Double) {
            for number in numbers {
                let record = DiskRecord(
                    item: nil, head: Data(), body: Data(repeating: 1, count: 10_000),
                    keptUntil: clock.now.addingTimeInterval(lifetime))
                let key = KeyDigest(principal: "ada", url: "\(number)")
                #expect(tier.store(record, for: key, replacing: [], if: nil) == .stored)
            }
        }
        // The live ones were used longest ago.
        store(0..<5, lifetime: 3600)
        store(5..<13, lifetime: 1)
        clock.advance(by: .seconds(2))
        store(13..<21, lifetime: 3600)
        for number in 0..<21 {
            let isThere = tier.record(KeyDigest(principal: "ada", url: "\(number)")) != nil
            #expect(isThere != (5..<13).contains(number), "\(number)")
        }
    }

    // MARK: - Damage

    @Test func `a file that is cut off gives the right values or misses, and the cache goes on`() async throws {
        await fill(disk())
        let file = try checkpointed()
        let whole = try #require(FileManager.default.contents(atPath: file))
        for count in [0, 1, 99, 100, 4095, 4096, 4097, 8192, whole.count / 2, whole.count - 1] {
            try plant(whole.prefix(count), at: file)
            let cache = disk()
            _ = await survivors(cache)
            await fill(cache)
            await fill(cache)
            #expect(await survivors(cache) == 20, "\(count) bytes")
        }
    }

    @Test func `damage in the log gives the right values or misses, and the cache goes on`() async throws {
        let cache = disk()
        await fill(cache)
        let file = try #require(try databases(in: directory).last)
        let whole = try #require(FileManager.default.contents(atPath: file))
        let log = try #require(FileManager.default.contents(atPath: file + "-wal"))
        #expect(log.count > 10_000)
        await cache.removeAll()
        var random = SeededRandom(seed: 11)
        for _ in 0..<50 {
            var bytes = log.prefix(Int.random(in: 0...log.count, using: &random))
            if let place = bytes.indices.randomElement(using: &random) { bytes[place] ^= 0x55 }
            try plant(whole, at: file)
            try bytes.write(to: URL(fileURLWithPath: file + "-wal"))
            let cache = disk()
            _ = await survivors(cache)
            await fill(cache)
            await fill(cache)
            #expect(await survivors(cache) == 20)
        }
    }

    @Test func `an entry whose tags were damaged is a miss`() async throws {
        for value in ["''", "tags || 'x'", "NULL", "x'00'", "replace(tags, 'tides', 'ides')"] {
            let cache = disk()
            await fill(cache, 1)
            let file = try #require(try databases(in: directory).last)
            try await DatabaseQueue(path: file).write {
                // The column is NOT NULL.
                try $0.execute(sql: "UPDATE entry SET tags = coalesce(\(value), 0)")
            }
            #expect(await cache.value(Tide.self, for: .tide("0")) == nil, "\(value)")
        }
    }

    @Test func `a flipped byte anywhere gives the right value or a miss, and the cache goes on`() async throws {
        await fill(disk())
        let file = try checkpointed()
        let whole = try #require(FileManager.default.contents(atPath: file))
        var random = SeededRandom(seed: 7)
        for _ in 0..<150 {
            var bytes = whole
            bytes[Int.random(in: whole.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try plant(bytes, at: file)
            let cache = disk()
            _ = await survivors(cache)
            // The read after a store may be the first to meet the damage; the cache is then empty, and whole.
            var found: Tide?
            for _ in 0..<2 where found == nil {
                await cache.store(Tide.high, for: .tide("after"), lifetime: .seconds(60), tags: ["after"])
                found = await cache.value(Tide.self, for: .tide("after"))?.value
            }
            #expect(found == .high)
        }
    }

    @Test(arguments: ["no database at all, but long enough for a header: \(String(repeating: "x", count: 5000))", "x"])
    func `a foreign file is replaced, and so is one with other tables`(content: String) async throws {
        try plant(Data(content.utf8), at: directory.path + "/responses/cache.sqlite")
        let cache = disk()
        await fill(cache)
        #expect(await survivors(cache) == 20)
        let file = try #require(try databases(in: directory).last)
        try await DatabaseQueue(path: file).write { try $0.execute(sql: "DROP TABLE generation") }
        let next = disk()
        await fill(next)
        #expect(await survivors(next) == 20)
        #expect(try databases(in: directory).count == 1)
    }

    @Test func `a payload under another key is a miss`() async throws {
        let cache = disk()
        await fill(cache, 2)
        let file = try #require(try databases(in: directory).last)
        try await DatabaseQueue(path: file).write { database in
            let payloads = try Data.fetchAll(database, sql: "SELECT body FROM entry ORDER BY id")
            try database.execute(sql: "UPDATE entry SET body = ? WHERE id = 1", arguments: [payloads[1]])
            try database.execute(sql: "UPDATE entry SET keptUntil = keptUntil + 1 WHERE id = 2")
        }
        #expect(await survivors(cache, 2) == 0)
        #expect(await disk().stats().entries == 0)
    }

    @Test func `values of wrong kinds in every column are misses`() async throws {
        for column in ["keptUntil", "headSum", "bodySum", "head", "body"] {
            for value in ["'text'", "x'00ff'", "12", "-1.5e300"] {
                let cache = disk()
                await fill(cache, 1)
                let file = try #require(try databases(in: directory).last)
                try await DatabaseQueue(path: file).write {
                    try $0.execute(sql: "UPDATE entry SET \(column) = \(value)")
                }
                #expect(await cache.value(Tide.self, for: .tide("0")) == nil, "\(column) \(value)")
            }
        }
    }

    @Test func `damage under an open cache leads to a new file`() async throws {
        let (first, second) = (disk(), disk())
        await fill(first)
        #expect(await survivors(second) == 20)
        let file = try #require(try databases(in: directory).last)
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(repeating: 0x55, count: 20_000))
        try handle.close()
        for cache in [first, second, first] {
            await fill(cache)
            _ = await survivors(cache)
        }
        #expect(await survivors(disk()) == 20)
    }

    @Test func `a busy file is read and not replaced`() async throws {
        let cache = disk()
        await fill(cache)
        let file = try #require(try databases(in: directory).last)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(await survivors(cache) == 20)
        #expect(await survivors(disk()) == 20)
        async let store: Void = cache.store(Tide.high, for: .tide("busy"), lifetime: .seconds(60), tags: [])
        #expect(await survivors(cache) == 20)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        await store
        #expect(await cache.value(Tide.self, for: .tide("busy"))?.value == .high)
        #expect(try databases(in: directory) == [file])
    }

    @Test func `memory works without a usable directory`() async throws {
        try Data().write(to: URL(fileURLWithPath: directory.path + "/responses"))
        let cache = CacheKind.both.make(in: directory, clock: clock)
        await fill(cache)
        #expect(await survivors(cache) == 20)
        #expect(await cache.stats().entries == 0)
        let error = await #expect(throws: DomainError.self) { try await cache.clear() }
        #expect(error?.description.contains(directory.path) == true)
    }

    @Test func `a linked database and a directory open to others are not used`() async throws {
        let folder = directory.path + "/responses"
        try plant(Data(), at: directory.path + "/elsewhere")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/cache.sqlite", withDestinationPath: directory.path + "/elsewhere")
        await fill(disk())
        #expect(FileManager.default.contents(atPath: directory.path + "/elsewhere") == Data())
        try FileManager.default.removeItem(atPath: folder + "/cache.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let cache = disk()
        await fill(cache)
        #expect(await survivors(cache) == 0)
    }

    // MARK: - Help

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// The file with everything in it and no log beside it.
    private func checkpointed() throws -> String {
        let file = try #require(try databases(in: directory).last)
        // A cache that is gone may still close its connection.
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        try DatabaseQueue(path: file, configuration: patient).writeWithoutTransaction {
            _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return file
    }

    /// Puts `bytes` in place of every database.
    private func plant(_ bytes: Data, at file: String) throws {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        if file.contains("/responses/") { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try bytes.write(to: URL(fileURLWithPath: file))
    }
}
