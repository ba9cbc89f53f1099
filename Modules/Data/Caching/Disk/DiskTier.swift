import Dispatch
import FoundationEssentials
import GRDB
package import Logging
import StrataConcurrency
package import StrataDomain

/// Records in a cache file.
///
/// Nothing but `clear` throws: a read that fails is a miss, and a write that fails is lost. A removal that fails deletes the
/// file, so that nothing removed is read again. Changes run one at a time on a queue.
package final class DiskTier: Sendable {
    let clock: any WallClock
    let file: CacheFile
    /// Owner of the leases that are taken through this tier.
    let owner = UUID().uuidString
    /// How many callers of this tier hold each lease. Changed on the queue.
    let leaseHolders = Mutex<[KeyDigest: Int]>([:])
    private let logger: Logger
    private let queue = DispatchQueue(label: "strata.cache.disk")
    /// Rows that were read since the last write.
    private let touched = Mutex<Set<Int64>>([])
    /// Marked with one write.
    private static let mostTouched = 64

    /// - Parameters:
    ///   - directory: Absolute; made on first use.
    ///   - namespace: Names a directory inside it.
    ///   - limit: Bytes.
    ///   - budget: Of the waits for other processes.
    package init(
        _ directory: String, namespace: String, limit: Int, clock: any WallClock, budget: BusyBudget = BusyBudget(),
        logger: Logger
    ) {
        file = CacheFile(
            CacheFolder(in: directory, namespace: namespace), limit: limit, budget: budget, logger: logger)
        self.clock = clock
        self.logger = logger
    }

    // MARK: - Threads

    /// Reads on the caller's thread where the file is open, on the queue where it must be opened first.
    package func reading<Result: Sendable>(_ body: @escaping @Sendable (DiskTier) -> Result) async -> Result {
        if isOpen { return body(self) }
        return await withCheckedContinuation { continuation in
            queue.async {
                self.file.open()
                continuation.resume(returning: body(self))
            }
        }
    }

    /// Queues a change; changes are done in the order of the calls.
    func change(_ body: @escaping @Sendable (DiskTier) -> Void) { queue.async { body(self) } }

    package var isOpen: Bool { file.isOpen }

    /// Another number after each change, by this process or another; `nil` where the disk cannot be used.
    package func version() -> Int? {
        if !isOpen { queue.async { self.file.open() } }
        return file.version
    }

    // MARK: - Access

    /// Reads a record with its row, which is marked as used with the next write.
    func touching<Value>(_ body: (Database) throws -> (Value, row: Int64)?) -> Value? {
        guard let (value, row) = file.read(body) else { return nil }
        touched.withLock { if $0.count < Self.mostTouched { $0.insert(row) } }
        return value
    }

    /// Writes in one transaction. Called on the queue.
    ///
    /// - Returns: `nil` where it failed.
    func write<Result>(_ body: (Database) throws -> Result) -> Result? {
        do { return try file.write(body) } catch {
            // A damaged file is new at the second attempt.
            return CacheFile.isDamage(error) ? try? file.write(body) : nil
        }
    }

    /// Stores in one transaction after removing what has expired and making room for `bytes`, and marks the rows that were read since the last one.
    func storing<Result>(_ bytes: Int, _ body: (Database) throws -> Result) -> Result? {
        let touched = touched.withLock { touched in
            defer { touched = [] }
            return touched
        }
        let limit = CacheFileSettings.databaseBytes(of: file.limit)
        return write { database in
            try RecordTable.touch(touched, in: database)
            try RecordTable.makeRoom(for: bytes, below: limit, at: clock.now, in: database)
            return try body(database)
        }
    }

    /// Removes in one transaction; if that fails, the whole file goes.
    func removing(_ body: (Database) throws -> Void) {
        guard isUseful else { return }
        do { return try file.write(body) } catch {
            if error is CacheFolder.Unusable { return }
            logger.warning(
                "a removal did not reach the cache on disk, whose file is deleted", metadata: ["reason": "\(error)"])
        }
        do { try clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
    }

    /// Whether the limit allows for a file at all.
    var isUseful: Bool { file.limit >= CacheFileSettings.leastBytes }

    // MARK: - The file as a whole

    /// Deletes everything; the next use starts with an empty file.
    func clear() throws(DomainError) { try file.clear() }

    /// Takes over another limit at once, and removes what exceeds it.
    func resize(to bytes: Int) {
        if isUseful, bytes >= CacheFileSettings.leastBytes {
            let limit = CacheFileSettings.databaseBytes(of: bytes)
            _ = write { try RecordTable.makeRoom(for: 0, below: limit, at: clock.now, in: $0) }
        }
        do { try file.resize(to: bytes) } catch {
            logger.warning("the cache was not resized", metadata: ["reason": "\(error)"])
        }
    }

    func usage() -> (entries: Int, bytes: Int, path: String) {
        let entries = file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
        return (entries ?? 0, file.folder.bytes, file.folder.database)
    }
}
