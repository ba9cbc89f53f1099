import FoundationEssentials
import GRDB
import Logging
import StrataConcurrency
import StrataDomain

import struct Synchronization.Atomic

/// Records in an SQLite file that several processes may share.
final class SQLiteTier: DiskTier {
    private let file: CacheDatabase
    private let clock: any WallClock
    private let logger: Logger
    /// Visited bits are written with the next record, so that a hit writes nothing.
    private let visited = Mutex(VisitedRows())

    /// Rows that are not what was written under their name; the next change removes them.
    private let damaged = Mutex<[RecordName]>([])
    /// Whether there are any.
    private let hasDamage = Atomic<Bool>(false)

    /// With one write: each visit may take a page of the log.
    private static let mostVisits = 8
    /// More under one key than this and the oldest go.
    private static let mostOfOneKey = ResponseGroup.mostItems

    init(directory: String, limits: CacheLimits, busySeconds: Double = 2, clock: any WallClock, logger: Logger) {
        file = CacheDatabase(
            directory: CacheDirectory(path: directory), limit: limits.diskBytes, busySeconds: busySeconds,
            logger: logger)
        self.clock = clock
        self.logger = logger
    }

    /// One component of a path, whatever the namespace is.
    static func folder(of namespace: String) -> String {
        let name = PercentEncoding.encode(namespace)
        return name.isEmpty || name.hasPrefix(".") ? "%" + name : name
    }

    var isReady: Bool { file.isReady && !hasDamage.load(ordering: .acquiring) }

    func prepare() {
        guard isUseful else { return }
        file.prepare()
        let names = damaged.withLock { names in
            defer { names = [] }
            hasDamage.store(false, ordering: .releasing)
            return names
        }
        guard !names.isEmpty else { return }
        logger.warning("damaged cache entries were dropped", metadata: ["path": "\(file.path)"])
        remove(names)
    }

    func version() -> Int { file.version() }

    // MARK: - Reads

    func record(_ name: RecordName) -> DiskRecord? {
        whole(file.read("read") { reader throws(RecordReader.Failure) in try reader.record(name) }, name)
    }

    func body(_ name: RecordName) -> Data? {
        whole(file.read("read") { reader throws(RecordReader.Failure) in try reader.body(name) }, name)
    }

    private func whole<Value>(_ found: RecordReader.Found<Value>?, _ name: RecordName) -> Value? {
        switch found {
        case .whole(let value):
            visited.withLock { $0.note(name.row) }
            return value
        case .damaged:
            note([name])
            return nil
        case .missing, nil: return nil
        }
    }

    func holds(_ stamp: DiskRecord.Stamp, _ name: RecordName) -> Bool {
        let found = file.read("compare") { reader throws(RecordReader.Failure) in try reader.stamp(name) }
        return found == .some(stamp)
    }

    func heads(of key: KeyDigest) -> [DiskRecord] {
        let found = file.read("list") { reader throws(RecordReader.Failure) in try reader.heads(of: key) }
        guard let found else { return [] }
        if !found.damaged.isEmpty { note(found.damaged) }
        return found.whole
    }

    private func note(_ names: [RecordName]) {
        damaged.withLock { damaged in
            damaged += names
            hasDamage.store(true, ordering: .releasing)
        }
    }

    // MARK: - Writes

    func store(_ record: DiskRecord, for key: KeyDigest, replacing replaced: [UUID]) -> Bool {
        let gone = replaced.map { RecordName(key, item: $0) }
        let bytes = record.head.count + record.body.count + record.tags.reduce(256) { $0 + 2 * $1.utf8.count + 64 }
        guard isUseful, record.body.count <= file.limit / 4,
            bytes <= file.limit / 2
        else {
            remove(gone + [RecordName(key, item: record.item)])
            return false
        }
        let visits = visited.withLock { $0.take(Self.mostVisits) }
        // Others may take the room that was made, so it is tried more than once.
        for _ in 0..<10 {
            var isHopeless = false
            let stored = file.access("store") { database in
                do {
                    try budget.makeRoom(for: bytes, in: database)
                    return try write(record, of: bytes, for: key, replacing: gone, visiting: visits, in: database)
                } catch DatabaseError.SQLITE_BUSY {
                    isHopeless = true
                    throw DatabaseError(resultCode: .SQLITE_BUSY, message: "The cache is in use by somebody else.")
                }
            }
            if stored == true { return true }
            if stored == false || isHopeless { break }
        }
        // The old value must not outlive the attempt to replace it.
        remove(gone + [RecordName(key, item: record.item)])
        return false
    }

    /// - Returns: `false` when the log had no room for it each time that was asked.
    private func write(
        _ record: DiskRecord, of bytes: Int, for key: KeyDigest, replacing gone: [RecordName],
        visiting visits: [Int64], in database: Database
    ) throws -> Bool {
        let (budget, new) = (budget, LogRoom.pages(ofEntry: bytes))
        let old = (gone + [RecordName(key, item: record.item)]).map(\.row)
        func needed() throws -> Int {
            try EntrySQL.lengths(of: old, in: database).reduce(new) { $0 + LogRoom.pages(ofEntry: $1) }
        }
        // Two large ones do not go through the log together.
        if try !budget.takes(pages: needed(), forEntry: bytes) { try budget.remove(rows: old, in: database) }
        let isStored = try budget.transaction(in: database) { log -> Bool? in
            let pages = try needed()
            guard log.takes(pages: pages + visits.count, forEntry: bytes) else { return nil }
            for row in visits { try database.cachedStatement(sql: EntrySQL.visit).execute(arguments: [row]) }
            for name in gone { try Self.remove(name, in: database) }
            try EntrySQL.upsert(record, for: key, in: database)
            return true
        }
        if isStored == true, record.item != nil {
            let most = Self.mostOfOneKey
            try budget.remove(rows: EntrySQL.rows(of: key, beyond: most, in: database), in: database)
        }
        try? budget.checkpoint(before: 0, in: database)
        return isStored == true
    }

    func update(_ name: RecordName, head: Data, keptUntil: Date, isLasting: Bool) {
        guard isUseful else { return }
        let isUpdated = file.access("update", isLasting: isLasting) { database in
            let length = try Int.fetchOne(
                database, sql: "SELECT length(body) FROM entry WHERE \(EntrySQL.isNamed)",
                arguments: EntrySQL.arguments(name))
            guard let length else { return true }
            // A longer head moves the body, so all of it may go through the log, where it was and where it will be.
            let bytes = length + head.count + 256
            let pages = LogRoom.pages(ofEntry: bytes)
            let isLarge = !budget.takes(pages: 2 * pages, forEntry: bytes)
            try budget.makeRoom(for: isLarge ? head.count : bytes, in: database)
            if isLarge { try budget.giveBack(in: database) }
            return try budget.insist(in: database) { log in
                // A large one goes first, in the same transaction, so that it gets its own pages again and no others.
                let most = try isLarge ? pages + min(pages, budget.freePages(in: database)) : 2 * pages
                guard budget.takes(pages: most, forEntry: bytes) else { return false }
                guard log.takes(pages: most, forEntry: bytes) else { return nil }
                try EntrySQL.update(name, head: head, keptUntil: keptUntil, isMoved: isLarge, in: database)
                return true
            }
        }
        // An old head may say that it is fresh.
        if isUpdated != true { remove([name]) }
    }

    func remove(_ names: [RecordName]) {
        guard isUseful, !names.isEmpty else { return }
        file.prepare()
        let isThere = file.read("look up") { reader throws(RecordReader.Failure) in
            for name in names where try reader.has(name.row) { return true }
            return false
        }
        // Nothing to write, so a full disk or a busy file does not matter.
        if isThere == false { return }
        file.insist("remove") { try budget.remove(rows: names.map(\.row), in: $0) }
    }

    func removeAll(of key: KeyDigest) {
        guard isUseful else { return }
        file.insist("remove") { try budget.removeAll("id BETWEEN ? AND ? AND key = ?", Self.rows(of: key), in: $0) }
    }

    func removeAll(tagged tag: String) {
        guard isUseful else { return }
        file.insist("invalidate") { try budget.remove(rows: rows(tagged: tag), in: $0) }
    }

    /// Looks at all entries: what is served has a head whose checksum holds, and only there its tags are believed.
    private func rows(tagged tag: String) throws -> [Int64] {
        var rows: [Int64] = []
        var last: Int64? = .min
        while let place = last {
            let some = try file.readOrThrow { reader throws(RecordReader.Failure) in
                try reader.rows(tagged: tag, after: place)
            }
            rows += some.found
            last = some.last
        }
        return rows
    }

    func removeExpired() {
        guard isUseful else { return }
        _ = file.access("expire") { try budget.removeExpired(in: $0) }
    }

    func clear() throws(DomainError) {
        let cleared: Void? = file.access("clear", isLasting: true) { try budget.removeAll("true", [], in: $0) }
        if cleared != nil, file.shrink() { return }
        // Somebody keeps it busy, or it cannot be written: go on with an empty file.
        do { try file.startAnew(salvaging: false) } catch {
            throw .storage("The cache in '\(file.path)' cannot be cleared: \(error) Remove that directory by hand.")
        }
    }

    func resize(to bytes: Int) {
        file.limit = max(0, bytes)
        guard isUseful else {
            do { try clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
            return
        }
        _ = file.access("resize") { try budget.makeRoom(for: 0, in: $0) }
    }

    func usage() -> (entries: Int, bytes: Int, path: String) {
        let entries = file.read("count") { reader throws(RecordReader.Failure) in try reader.entries() }
        return (entries ?? 0, file.bytes, file.path)
    }

    /// Whether the limit allows for a file at all.
    private var isUseful: Bool { file.limit >= Budget.least }

    private var budget: Budget {
        Budget(limit: file.limit, now: clock.now) { self.file.logBytes }
    }

    private static func remove(_ name: RecordName, in database: Database) throws {
        try database.cachedStatement(sql: EntrySQL.remove).execute(arguments: [name.row])
    }

    private static func rows(of key: KeyDigest) -> StatementArguments {
        let rows = RecordName.rows(of: key)
        return [rows.lowerBound, rows.upperBound, key.bytes]
    }
}
