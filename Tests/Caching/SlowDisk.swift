import Foundation
import StrataConcurrency
import StrataDomain

@testable import StrataCaching

/// A disk tier in memory whose reads can be held back after they looked.
final class SlowDisk: DiskTier {
    private let records = Mutex<[RecordName: DiskRecord]>([:])
    private let reads = Mutex(0)
    private let isHeld = Mutex(false)
    private let door = DispatchSemaphore(value: 0)

    var readsBegun: Int { reads.withLock { $0 } }
    func holdReads() { isHeld.withLock { $0 = true } }
    func releaseReads() {
        isHeld.withLock { $0 = false }
        door.signal()
    }

    let isReady = true
    func prepare() {}
    func version() -> Int { 0 }

    func record(_ name: RecordName) -> DiskRecord? {
        let record = records.withLock { $0[name] }
        reads.withLock { $0 += 1 }
        if isHeld.withLock({ $0 }) { door.wait() }
        return record
    }

    func body(_ name: RecordName) -> Data? { record(name)?.body }

    func holds(_ stamp: DiskRecord.Stamp, _ name: RecordName) -> Bool { record(name)?.stamp(for: name.key) == stamp }

    func heads(of key: KeyDigest) -> [DiskRecord] {
        records.withLock { $0.filter { $0.key.key == key }.map(\.value) }
    }

    func store(_ record: DiskRecord, for key: KeyDigest, replacing replaced: [UUID]) -> Bool {
        records.withLock { records in
            for item in replaced { records[RecordName(key, item: item)] = nil }
            records[RecordName(key, item: record.item)] = record
        }
        return true
    }

    func update(_ name: RecordName, head: Data, keptUntil: Date, isLasting: Bool) {
        records.withLock { records in
            records[name]?.head = head
            records[name]?.keptUntil = keptUntil
        }
    }

    func remove(_ names: [RecordName]) { records.withLock { for name in names { $0[name] = nil } } }
    func removeAll(of key: KeyDigest) { records.withLock { $0 = $0.filter { $0.key.key != key } } }
    func removeAll(tagged tag: String) { records.withLock { $0 = $0.filter { !$0.value.tags.contains(tag) } } }
    func removeExpired() {}
    func clear() throws(DomainError) { records.withLock { $0 = [:] } }
    func resize(to bytes: Int) {}
    func usage() -> (entries: Int, bytes: Int, path: String) { (records.withLock { $0.count }, 0, "memory") }
}
