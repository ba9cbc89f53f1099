import Foundation
import GRDB
import Logging
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// A directory that vanishes, a full disk, and one that may only be read.
struct FailingDiskTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    init() throws { directory = try TemporaryDirectory() }

    static let count = 40

    var folder: String { directory.path + "/http" }

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
            keptUntil: clock.now.addingTimeInterval(60), tags: ["t\(number % 4)"], since: nil)
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

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a full disk loses entries only`() async throws {
        let disk = try SmallFileSystem(kilobytes: 1000)
        defer { withExtendedLifetime(disk) {} }
        let mount = disk.path
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

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a removed entry is not served again on a full disk`() async throws {
        let disk = try SmallFileSystem(kilobytes: 700)
        defer { withExtendedLifetime(disk) {} }
        let mount = disk.path
        for removesTag in [true, false] {
            let store = TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)
            for number in 0..<30 { await keep(number, in: store) }
            // Not a byte is left for a log.
            try disk.fill()
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
            try disk.makeRoom()
            await goesOn(store)
        }
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a removed entry is not served again on a read-only disk, and nothing fails`() async throws {
        let disk = try SmallFileSystem(kilobytes: 2000)
        defer { withExtendedLifetime(disk) {} }
        let mount = disk.path
        func store(_ tiers: CacheTiers) -> TwoTierHTTPCacheStore {
            TwoTierHTTPCacheStore(directory: mount, tiers: tiers, clock: clock, logger: .silent)
        }
        do {
            let first = store(.disk)
            for number in 0..<Self.count { await keep(number, in: first) }
            #expect(await survivors(first) == Self.count)
        }
        // It may still be closing its files.
        try await eventually("the last write has ended") { (try? disk.makeReadOnly()) != nil }
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
        try disk.makeRoom()
        await goesOn(open)
        #expect(await survivors(open) <= 2, "what could not be removed is given up")
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a cache that cannot be cleared says why in one sentence, and what to do`() async throws {
        let disk = try SmallFileSystem(kilobytes: 2000)
        defer { withExtendedLifetime(disk) {} }
        let mount = disk.path
        func store() -> TwoTierHTTPCacheStore {
            TwoTierHTTPCacheStore(directory: mount, tiers: .disk, clock: clock, logger: .silent)
        }
        do {
            let first = store()
            #expect(await keep(1, in: first))
        }
        // It may still be closing its files.
        try await eventually("the last write has ended") { (try? disk.makeReadOnly()) != nil }
        let error = await #expect(throws: DomainError.self) { try await store().clear() }
        // Not the text of an NSError, which has several lines and keys.
        #expect(
            error
                == .storage(
                    "The cache in '\(mount)/http' cannot be cleared: '\(mount)/http' cannot be renamed: "
                        + "Read-only file system. Remove that directory by hand."))
    }
}
