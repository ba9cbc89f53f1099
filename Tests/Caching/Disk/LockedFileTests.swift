import Foundation
import GRDB
import StrataConcurrency
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

/// A cache file that another process has locked for writes.
struct LockedFileTests {
    let directory: TemporaryDirectory
    let clock = ManualWallClock()
    private let timer = ManualClock()
    /// Of two milliseconds each.
    private let waits = CallCounter()
    init() throws { directory = try TemporaryDirectory() }

    private func tier() -> DiskTier {
        DiskTier(
            directory.path, namespace: "responses", limit: CacheLimits().diskBytes, clock: clock,
            budget: BusyBudget(time: MonotonicTime(timer)) { [waits] in waits.increment() }, logger: .silent)
    }

    private func record(_ text: String) -> DiskRecord {
        DiskRecord(item: nil, head: Data(text.utf8), body: Data(), keptUntil: clock.now.addingTimeInterval(60))
    }

    private func key(_ name: String) -> KeyDigest { KeyDigest(principal: "ada", url: name) }

    private func store(_ text: String, for name: String, in tier: DiskTier) -> DiskTier.Storing {
        tier.store(record(text), for: key(name), replacing: [], if: nil)
    }

    /// Another connection in the middle of a write.
    private func lock() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(
            path: try #require(try databases(in: directory).last), configuration: configuration)
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        return other
    }

    @Test func `all writes together wait one second, and reads not at all`() throws {
        let tier = tier()
        #expect(store("1", for: "a", in: tier) == .stored)
        let other = try lock()
        for name in ["b", "c", "d"] { #expect(store("2", for: name, in: tier) == .lost) }
        #expect(tier.acquireLease(key("a")), "every caller asks for itself")
        #expect(waits.value == 500)
        #expect(tier.record(key("a"))?.head == Data("1".utf8))
        #expect(try databases(in: directory).count == 1)
        withExtendedLifetime(other) {}
    }

    @Test func `a write waits again after ten seconds, and after one that got through`() throws {
        let tier = tier()
        #expect(store("1", for: "a", in: tier) == .stored)
        var other: DatabaseQueue? = try lock()
        #expect(store("2", for: "b", in: tier) == .lost)
        timer.advance(by: .seconds(10))
        #expect(store("2", for: "b", in: tier) == .lost)
        #expect(waits.value == 1000)
        withExtendedLifetime(other) { other = nil }
        #expect(store("2", for: "b", in: tier) == .stored)
        other = try lock()
        #expect(store("2", for: "c", in: tier) == .lost)
        #expect(waits.value == 1500)
        withExtendedLifetime(other) {}
    }

    @Test func `a value that could not be replaced is not read again, also by others`() throws {
        let tier = tier()
        #expect(store("1", for: "a", in: tier) == .stored)
        let other = try lock()
        #expect(store("2", for: "a", in: tier) == .lost)
        #expect(waits.value == 500)
        for reader in [tier, self.tier()] {
            reader.file.open()
            #expect(reader.record(key("a")) == nil)
        }
        #expect(store("3", for: "a", in: tier) == .stored, "the file in its place is not locked")
        withExtendedLifetime(other) {}
    }
}
