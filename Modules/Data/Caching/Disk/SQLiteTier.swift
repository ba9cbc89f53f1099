import FoundationEssentials
import GRDB
import Logging
import StrataDomain
import Synchronization

/// Entries in an SQLite file that several processes may share.
final class SQLiteTier: DiskTier {
    private let file: CacheDatabase
    private let limits: CacheLimits
    private let logger: Logger
    /// Keys read since the last write; their visited bits are written with it, so that a hit writes nothing.
    private let touched = Mutex<Set<KeyDigest>>([])

    private static let mostTouched = 1000

    init(directory: String, limits: CacheLimits, busySeconds: Double = 1, logger: Logger) {
        file = CacheDatabase(directory: CacheDirectory(path: directory), busySeconds: busySeconds, logger: logger)
        self.limits = limits
        self.logger = logger
    }

    func entry(for key: KeyDigest) -> StoredEntry? {
        let row = file.read("read") { try Row.fetchOne($0, sql: EntrySQL.select, arguments: [key.bytes]) } ?? nil
        guard let row else { return nil }
        guard let entry = StoredEntry(row, for: key) else {
            logger.warning("a damaged cache entry was dropped", metadata: ["path": "\(file.path)"])
            remove(key)
            return nil
        }
        touched.withLock { if $0.count < Self.mostTouched { _ = $0.insert(key) } }
        return entry
    }

    func store(_ entry: StoredEntry, for key: KeyDigest, now: Date) {
        guard entry.payload.count <= limits.diskBytesOfOneEntry else { return remove(key) }
        let touched = touched.withLock { keys in
            defer { keys = [] }
            return keys
        }
        let stored: Void? = file.write("store") { database in
            for key in touched { try database.execute(sql: EntrySQL.visit, arguments: [key.bytes]) }
            let id = try EntrySQL.upsert(entry, for: key, in: database)
            try Eviction(limit: self.limits.diskBytes, now: now, sparing: id).run(in: database)
        }
        // The old value must not outlive the attempt to replace it.
        if stored == nil { remove(key) }
    }

    func remove(_ key: KeyDigest) {
        file.insist("remove") { try $0.execute(sql: "DELETE FROM entry WHERE key = ?", arguments: [key.bytes]) }
    }

    func removeAll(tagged tag: String) {
        file.insist("invalidate") {
            try $0.execute(
                sql: "DELETE FROM entry WHERE id IN (SELECT entry FROM tag WHERE name = ?)", arguments: [tag])
        }
    }

    func removeExpired(at now: Date) {
        _ = file.write("expire") {
            try $0.execute(sql: "DELETE FROM entry WHERE keptUntil <= ?", arguments: [now.timeIntervalSince1970])
        }
    }

    func clear() throws(DomainError) {
        let cleared: Void? = file.write("clear") { try $0.execute(sql: "DELETE FROM entry") }
        if cleared != nil, file.shrink() { return }
        // Somebody keeps it busy, or it cannot be written: go on with an empty file.
        do { try file.startAnew() } catch {
            throw .storage("The cache in '\(file.path)' cannot be cleared: \(error) Remove that directory by hand.")
        }
    }

    func usage() -> (entries: Int, bytes: Int, path: String) {
        let entries = file.read("count") { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } ?? nil
        return (entries ?? 0, file.bytes, file.path)
    }
}
