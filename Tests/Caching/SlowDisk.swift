import Foundation
import StrataDomain
import Synchronization

@testable import StrataCaching

/// A disk tier in memory whose reads can be held back after they looked.
final class SlowDisk: DiskTier {
    private let entries = Mutex<[KeyDigest: StoredEntry]>([:])
    private let reads = Mutex(0)
    private let isHeld = Mutex(false)
    private let door = DispatchSemaphore(value: 0)

    var readsBegun: Int { reads.withLock { $0 } }
    func holdReads() { isHeld.withLock { $0 = true } }
    func releaseReads() {
        isHeld.withLock { $0 = false }
        door.signal()
    }

    func entry(for key: KeyDigest) -> StoredEntry? {
        let entry = entries.withLock { $0[key] }
        reads.withLock { $0 += 1 }
        if isHeld.withLock({ $0 }) { door.wait() }
        return entry
    }

    func store(_ entry: StoredEntry, for key: KeyDigest, now: Date) { entries.withLock { $0[key] = entry } }
    func remove(_ key: KeyDigest) { entries.withLock { $0[key] = nil } }
    func removeAll(tagged tag: String) { entries.withLock { $0 = $0.filter { !$0.value.tags.contains(tag) } } }
    func removeExpired(at now: Date) { entries.withLock { $0 = $0.filter { !$0.value.span.isOver(at: now) } } }
    func clear() throws(DomainError) { entries.withLock { $0 = [:] } }
    func usage() -> (entries: Int, bytes: Int, path: String) { (entries.withLock { $0.count }, 0, "memory") }
}
