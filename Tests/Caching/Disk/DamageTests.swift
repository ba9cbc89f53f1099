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
    var file: String { folder + "/v1-1.sqlite" }

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
            url: key(number).url, status: 200, requestTime: clock.now, responseTime: clock.now,
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
            #expect(response.url == key(number).url)
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

    @Test func `of a page that is overwritten only its own entries are lost`() async throws {
        let whole = try await filled()
        var worst = Self.count
        var lost = 0
        for page in stride(from: 1, to: whole.count / 4096, by: 4) {
            var bytes = whole
            for place in page * 4096..<(page + 1) * 4096 { bytes[place] = 0x5A }
            try plant(bytes)
            let store = store()
            _ = await survivors(store)
            await goesOn(store)
            let left = await survivors(store)
            lost += Self.count - left
            worst = min(worst, left)
        }
        // Without the root of the table nothing can be found; every other page costs few.
        #expect(lost <= 3 * Self.count + whole.count / 4096 * 3, "\(lost), worst \(worst)")
    }

    @Test func `a flipped byte anywhere costs at most a few entries`() async throws {
        let whole = try await filled()
        var random = SeededRandom(seed: 21)
        var lost: [Int] = []
        for _ in 0..<25 {
            var bytes = whole
            bytes[Int.random(in: 4096..<whole.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try plant(bytes)
            let store = store()
            _ = await survivors(store)
            await goesOn(store)
            lost.append(Self.count - (await survivors(store)))
        }
        #expect(lost.filter { $0 > 2 }.count <= 3, "\(lost)")
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

    @Test func `entries taken over from a damaged file keep their tags`() async throws {
        let whole = try await filled()
        // A page of the tag table: one that has the text of a tag and no body.
        let damaged = (2..<whole.count / 4096).first { page in
            let bytes = whole[page * 4096..<(page + 1) * 4096]
            return bytes.first == 0x0A && bytes.firstRange(of: Data("t1".utf8)) != nil
        }
        var bytes = whole
        let page = try #require(damaged)
        for place in page * 4096..<page * 4096 + 200 { bytes[place] = 0xFF }
        try plant(bytes)
        let store = store()
        await goesOn(store)
        #expect(await survivors(store) == Self.count)
        await store.removeAll(tagged: "t1")
        #expect(await survivors(store) == Self.count * 3 / 4)
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
    func `a full disk costs entries, not the file`() async throws {
        let mount = directory.path + "/tiny"
        #expect(TinyDisk.mount(at: mount, kilobytes: 1000))
        defer { TinyDisk.unmount(mount) }
        let store = TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)
        for number in 0..<Self.count { await keep(number, in: store) }
        for number in 0..<Self.count { await keep(number, in: store) }
        for number in 0..<Self.count { await keep(number, in: store) }
        _ = await survivors(store)
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount + "/http").contains("v1-1.sqlite"))
        await store.removeAll()
        #expect(await survivors(store) == 0, "what is to go goes, though nothing more can be written")
        await goesOn(store)
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
