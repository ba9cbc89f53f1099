import Foundation
import GRDB
import Logging
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// Damage costs what lies where the damage is, and nothing else.
struct DamageTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    static let count = 40

    var folder: String { directory.path + "/http" }
    var file: String { folder + "/v2-1.sqlite" }

    func store(_ logger: Logger = .silent) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(directory: directory.path, tiers: .disk, clock: clock, logger: logger)
    }

    func key(_ number: Int) -> HTTPCacheKey {
        HTTPCacheKey(principal: "ada", url: "https://tides.example/\(number)")
    }

    func body(_ number: Int) -> Data { Data(repeating: UInt8(number + 1), count: 3000 + 200 * number) }

    @discardableResult
    func keep(_ number: Int, in store: TwoTierHTTPCacheStore) async -> Bool {
        let response = StoredResponse(
            status: 200, reason: key(number).url, requestTime: clock.now, responseTime: clock.now,
            length: body(number).count)
        let old = await store.responses(for: key(number)).map(\.id)
        return await store.store(
            response, body: body(number), for: key(number), replacing: Set(old),
            keptUntil: clock.now.addingTimeInterval(60), tags: ["t\(number % 4)"])
    }

    /// Numbers whose response is there; each must be the right one.
    func survivors(_ store: TwoTierHTTPCacheStore) async -> Int {
        var found = 0
        for number in 0..<Self.count {
            guard let response = await store.responses(for: key(number)).first else { continue }
            #expect(response.reason == key(number).url)
            guard let bytes = await store.body(of: response, for: key(number)) else { continue }
            #expect(bytes == body(number), "never a wrong byte")
            found += 1
        }
        return found
    }

    /// The cache goes on: what is stored now is there afterwards.
    func goesOn(_ store: TwoTierHTTPCacheStore) async {
        #expect(await keep(0, in: store))
        let response = await store.responses(for: key(0)).first
        #expect(response != nil)
        if let response { #expect(await store.body(of: response, for: key(0)) == body(0)) }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `of a page that is overwritten only its own entries are lost, be it the first or a root`(phase: Int)
        async throws
    {
        let whole = try await filled()
        var lost: [Int] = []
        for page in stride(from: phase, to: whole.count / 4096, by: 4) {
            var bytes = whole
            for place in page * 4096..<(page + 1) * 4096 { bytes[place] = 0x5A }
            try plant(bytes)
            let store = store()
            _ = await survivors(store)
            await goesOn(store)
            lost.append(Self.count - (await survivors(store)))
        }
        // A page of rows has seven of these entries at most.
        #expect(lost.allSatisfy { $0 <= 7 }, "\(lost)")
        #expect(lost.reduce(0, +) <= 2 * lost.count, "\(lost)")
    }

    @Test func `a flipped byte anywhere costs at most a few entries`() async throws {
        let whole = try await filled()
        var random = SeededRandom(seed: 21)
        var lost: [Int] = []
        for _ in 0..<25 {
            var bytes = whole
            bytes[Int.random(in: whole.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try plant(bytes)
            let store = store()
            _ = await survivors(store)
            await goesOn(store)
            lost.append(Self.count - (await survivors(store)))
        }
        #expect(lost.allSatisfy { $0 <= 7 } && lost.filter { $0 > 1 }.count <= 3, "\(lost)")
    }

    @Test func `a flipped byte in the log gives what was there before, or nothing`() async throws {
        try? FileManager.default.removeItem(atPath: folder)
        do {
            let store = store()
            for number in 0..<Self.count { await keep(number, in: store) }
            // While it is open: closing would empty the log.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file + suffix, toPath: directory.path + "/kept\(suffix)")
            }
        }
        let base = try #require(FileManager.default.contents(atPath: directory.path + "/kept"))
        let log = try #require(FileManager.default.contents(atPath: directory.path + "/kept-wal"))
        #expect(log.count > 40_000)
        var random = SeededRandom(seed: 22)
        for step in 0..<30 {
            var bytes = log
            if step.isMultiple(of: 3) {
                bytes = bytes.prefix(step * log.count / 30)
            } else {
                bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            try plant(base)
            try bytes.write(to: URL(fileURLWithPath: file + "-wal"))
            let store = store()
            _ = await survivors(store)
            await goesOn(store)
        }
    }

    @Test func `a damaged name of a tag saves no entry from its removal`() async throws {
        let whole = try await filled()
        let name = Data("t1".utf8)
        var places: [Data.Index] = []
        var rest = whole.startIndex..<whole.endIndex
        while let found = whole.firstRange(of: name, in: rest) {
            places.append(found.lowerBound)
            rest = found.upperBound..<whole.endIndex
        }
        #expect(places.count >= Self.count / 4)
        for place in places {
            var bytes = whole
            bytes[place] = 0x75
            try plant(bytes)
            let store = store()
            await store.removeAll(tagged: "t1")
            for number in stride(from: 1, to: Self.count, by: 4) {
                #expect(await store.responses(for: key(number)) == [], "\(number)")
            }
            #expect(await survivors(store) >= Self.count * 3 / 4 - 1)
        }
    }

    @Test func `entries taken over from a damaged file keep their tags`() async throws {
        let whole = try await filled()
        var bytes = whole
        for place in 0..<4096 { bytes[place] = 0xFF }
        try plant(bytes)
        let store = store()
        await goesOn(store)
        #expect(await survivors(store) == Self.count)
        await store.removeAll(tagged: "t1")
        #expect(await survivors(store) == Self.count * 3 / 4)
    }

    @Test func `what lies in the log of a damaged file is taken over, and what was removed there is not`() async throws
    {
        let first = store()
        for number in 0..<Self.count { await keep(number, in: first) }
        await first.removeAll(for: key(7))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file + suffix, toPath: directory.path + "/kept\(suffix)")
        }
        var base = try #require(FileManager.default.contents(atPath: directory.path + "/kept"))
        let log = try #require(FileManager.default.contents(atPath: directory.path + "/kept-wal"))
        #expect(log.count > 40_000)
        for place in base.indices.prefix(4096) { base[place] = 0 }
        try plant(base)
        try log.write(to: URL(fileURLWithPath: file + "-wal"))
        let second = store()
        #expect(await second.responses(for: key(7)) == [])
        await goesOn(second)
        #expect(await survivors(second) == Self.count - 1)
        #expect(await second.responses(for: key(7)) == [])
    }

    @Test func `a directory that vanishes under a running cache is made again, for all that use it`() async throws {
        let (first, second) = (store(), store())
        await keep(1, in: first)
        #expect(await survivors(second) == 1)
        try FileManager.default.removeItem(atPath: folder)
        #expect(await survivors(second) == 0)
        await keep(2, in: first)
        #expect(await survivors(second) == 1, "both use the new one")
        #expect(await survivors(store()) == 1)
    }

    @Test(.enabled(if: TinyDisk.isPossible, "needs the right to mount a small file system"))
    func `a full disk costs entries and nothing else`() async throws {
        let mount = directory.path + "/tiny"
        #expect(TinyDisk.mount(at: mount, kilobytes: 1000))
        defer { TinyDisk.unmount(mount) }
        let store = TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)
        for number in 0..<Self.count { await keep(number, in: store) }
        for number in 0..<Self.count { await keep(number, in: store) }
        for number in 0..<Self.count { await keep(number, in: store) }
        _ = await survivors(store)
        let files = try FileManager.default.contentsOfDirectory(atPath: mount + "/http")
        #expect(files.filter { $0.hasSuffix(".sqlite") }.count == 1)
        await store.removeAll()
        #expect(await survivors(store) == 0, "what is to go goes, though nothing more can be written")
        await goesOn(store)
    }

    @Test(.enabled(if: TinyDisk.isPossible, "needs the right to mount a small file system"))
    func `on a full disk what is removed is not served again`() async throws {
        let mount = directory.path + "/tiny"
        #expect(TinyDisk.mount(at: mount, kilobytes: 700))
        defer { TinyDisk.unmount(mount) }
        for removesTag in [true, false] {
            let store = TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)
            for number in 0..<30 { await keep(number, in: store) }
            // Not a byte is left for a log.
            let filler = FileHandle(fileDescriptor: open(mount + "/filler", O_WRONLY | O_CREAT, 0o600))
            while (try? filler.write(contentsOf: Data(count: 4096))) != nil {}
            let there = await survivors(store)
            #expect(there > 5)
            if removesTag {
                await store.removeAll(tagged: "t1")
            } else {
                for number in stride(from: 1, to: Self.count, by: 4) { await store.removeAll(for: key(number)) }
            }
            for reader in [store, TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)]
            {
                for number in stride(from: 1, to: Self.count, by: 4) {
                    #expect(await reader.responses(for: key(number)) == [], "\(number)")
                }
            }
            try FileManager.default.removeItem(atPath: mount + "/filler")
            await goesOn(store)
        }
    }

    @Test(.enabled(if: TinyDisk.isPossible, "needs the right to mount a small file system"))
    func `on a disk that may only be read nothing fails, and what is removed is not served again`() async throws {
        let mount = directory.path + "/tiny"
        #expect(TinyDisk.mount(at: mount, kilobytes: 2000))
        defer { TinyDisk.unmount(mount) }
        func store(_ tiers: CacheTiers) -> TwoTierHTTPCacheStore {
            TwoTierHTTPCacheStore(directory: mount, tiers: tiers, clock: clock, logger: .silent)
        }
        do {
            let first = store(.disk)
            for number in 0..<Self.count { await keep(number, in: first) }
            #expect(await survivors(first) == Self.count)
        }
        // It may still be closing its files.
        await eventuallyOnDisk("nobody writes there") { TinyDisk.forbidWriting(mount) }
        let open = store(.both)
        for store in [open, store(.disk)] {
            _ = await survivors(store)
            await store.removeAll(for: key(1))
            await store.removeAll(tagged: "t2")
            for number in [1, 2, 6, 10] { #expect(await store.responses(for: key(number)) == []) }
            await keep(3, in: store)
            await store.removeExpired()
            await store.removeAll()
            #expect(await survivors(store) == 0)
        }
        let error = await #expect(throws: DomainError.self) { try await open.clear() }
        #expect(error?.description.contains(mount) == true)
        #expect(TinyDisk.allowWriting(mount))
        await goesOn(open)
        #expect(await survivors(open) <= 2, "what could not be removed is given up")
    }

    // MARK: - Help

    /// A whole file with everything in it and no log beside it.
    private func filled() async throws -> Data {
        let store = store()
        for number in 0..<Self.count { await keep(number, in: store) }
        _ = try DatabaseQueue(path: file).writeWithoutTransaction {
            try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return try #require(FileManager.default.contents(atPath: file))
    }

    private func plant(_ bytes: Data) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try bytes.write(to: URL(fileURLWithPath: file))
    }
}

/// A small file system in memory, to be filled up.
enum TinyDisk {
    static let isPossible: Bool = {
        let path = NSTemporaryDirectory() + "strata-tiny-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard mount(at: path, kilobytes: 64) else { return false }
        unmount(path)
        return true
    }()

    static func mount(at path: String, kilobytes: Int) -> Bool {
        mkdir(path, 0o700) == 0 && run("/bin/mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=700", "tmpfs", path)
    }

    static func forbidWriting(_ path: String) -> Bool { run("/bin/mount", "-o", "remount,ro", path) }
    static func allowWriting(_ path: String) -> Bool { run("/bin/mount", "-o", "remount,rw", path) }

    static func unmount(_ path: String) { _ = run("/bin/umount", "-l", path) }

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
