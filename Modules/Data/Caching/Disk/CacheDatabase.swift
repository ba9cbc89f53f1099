import GRDB
import GRDBSQLite
import Logging
import StrataConcurrency

import struct Synchronization.Atomic

/// The database of a cache: opened on first use, rebuilt from what is whole in it when it is damaged, and left alone
/// when it is merely busy, full or unreadable.
///
/// One connection reads, on any thread. Another, opened with the first write, writes, on one thread at a time.
final class CacheDatabase: Sendable {
    struct State {
        var writer: DatabaseQueue?
        /// The file in use or last tried; zero before the first use.
        var number = 0
        var rebuilds = 0
        var identity: CacheDirectory.Identity?
        /// A removal could not be written: nothing of this file may be read any more.
        var isGivenUp = false
    }

    private struct Reading {
        var reader: RecordReader?
        var isDamaged = false
        /// Counts openings, so that the version of another connection is another one.
        var openings = 0
        var version = 0
    }

    let directory: CacheDirectory
    private let mostBytes: Atomic<Int>
    private let busySeconds: Double
    let logger: Logger
    let state = Mutex(State())
    private let reading = Mutex(Reading())
    private let ready = Atomic<Bool>(false)

    /// A disk that damages every new file is not fed for ever.
    static let mostRebuilds = 3

    /// - Parameter busySeconds: How long one try waits for another process that writes.
    init(directory: CacheDirectory, limit: Int, busySeconds: Double, logger: Logger) {
        self.directory = directory
        mostBytes = Atomic(limit)
        self.busySeconds = busySeconds
        self.logger = logger
    }

    /// Of the file in use, or of the directory before the first use.
    var path: String {
        let number = state.withLock { $0.number }
        return number == 0 ? directory.path : directory.database(number)
    }

    /// Length of the file in use, its log and the index of the log.
    var bytes: Int { directory.bytes(of: state.withLock { $0.number }) }

    /// Length of the log.
    var logBytes: Int { directory.logBytes(of: state.withLock { $0.number }) }

    /// Bytes the files may take.
    var limit: Int {
        get { mostBytes.load(ordering: .relaxed) }
        set { mostBytes.store(newValue, ordering: .relaxed) }
    }

    var isReady: Bool { ready.load(ordering: .acquiring) }

    // MARK: - Reads

    /// - Returns: `nil` when the disk could not do it; if the file must be opened or repaired first, `isReady` is false.
    func read<Result>(_ name: String, _ body: (RecordReader) throws(RecordReader.Failure) -> Result) -> Result? {
        reading.withLock { reading -> Result? in
            guard let reader = reading.reader else { return nil }
            do throws(RecordReader.Failure) { return try body(reader) } catch {
                logger.info("the cache on disk was not read", metadata: ["operation": "\(name)", "reason": "\(error)"])
                if error.isBusy { return nil }
                reading.isDamaged = error.isDamage
                reading.reader = nil
                ready.store(false, ordering: .releasing)
                return nil
            }
        }
    }

    /// Like `read`, for what must not be taken for a miss; called where the file is open.
    func readOrThrow<Result>(
        _ body: (RecordReader) throws(RecordReader.Failure) -> Result
    ) throws(RecordReader.Failure) -> Result {
        let result = reading.withLock { reading -> Swift.Result<Result, RecordReader.Failure> in
            guard let reader = reading.reader else { return .failure(RecordReader.Failure(code: SQLITE_BUSY)) }
            do throws(RecordReader.Failure) { return .success(try body(reader)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Another number after each change; the last known one while nothing is open.
    func version() -> Int {
        if isReady, isElsewhere { forget() }
        let version = read("version") { reader throws(RecordReader.Failure) in try reader.dataVersion() }
        return reading.withLock { reading in
            if let version { reading.version = reading.openings << 32 | version }
            return reading.version
        }
    }

    /// Opens the file, or rebuilds it after a read that met damage.
    func prepare() {
        guard !isReady else { return }
        let isDamaged = reading.withLock { reading in
            defer { reading.isDamaged = false }
            return reading.isDamaged
        }
        do {
            if isDamaged {
                logger.warning("the cache file is damaged and rebuilt", metadata: ["path": "\(path)"])
                try startAnew(salvaging: true)
            } else {
                close()
            }
            if openForReading() { return }
            _ = try repairing { _ in }
        } catch {
            logger.info("the cache on disk was not opened", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: - Connections

    /// Whether the directory vanished, or somebody rebuilt the file: what we have open is nobody else's any more.
    private var isElsewhere: Bool {
        let (number, identity) = state.withLock { ($0.number, $0.identity) }
        return identity != nil && directory.identity(of: number) != identity
    }

    /// After a failure nothing is known about the state of the connections; the next use opens others.
    func close() {
        forget()
        let writer = state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
        try? writer?.close()
    }

    private func forget() {
        ready.store(false, ordering: .releasing)
        reading.withLock { $0.reader = nil }
    }

    func opened() throws -> DatabaseQueue {
        if state.withLock({ $0.isGivenUp }) { try startAnew(salvaging: false) }
        if isElsewhere { close() }
        let (writer, rebuilds) = state.withLock { ($0.writer, $0.rebuilds) }
        if let writer, isReady { return writer }
        guard rebuilds <= Self.mostRebuilds else { throw CacheDirectory.Unusable.alwaysDamaged }
        if writer != nil { close() }
        return try open(try directory.number { path in try fill(path, from: nil) })
    }

    /// Opens the file for reads alone, which writes nothing into it; the connection that writes comes with the first
    /// write. The last to close empties the log, and where nobody wrote there is none.
    ///
    /// - Returns: Whether there is one, whole as far as opening tells; if not, `opened` makes, repairs or explains it.
    private func openForReading() -> Bool {
        guard state.withLock({ !$0.isGivenUp && $0.rebuilds <= Self.mostRebuilds }),
            let number = directory.onlyNumber, (try? directory.accept(number)) != nil,
            let reader = try? RecordReader(path: directory.database(number))
        else { return false }
        state.withLock { $0.number = number }
        use(reader, writer: nil)
        return true
    }

    func open(_ number: Int) throws -> DatabaseQueue {
        state.withLock { $0.number = number }
        try directory.accept(number)
        let path = directory.database(number)
        let writer = try connect(path)
        use(try RecordReader(path: path), writer: writer)
        return writer
    }

    private func use(_ reader: RecordReader, writer: DatabaseQueue?) {
        state.withLock { state in
            state.writer = writer
            state.identity = directory.identity(of: state.number)
        }
        reading.withLock { reading in
            reading.reader = reader
            reading.isDamaged = false
            reading.openings += 1
        }
        ready.store(true, ordering: .releasing)
    }

    /// Switching a file to WAL needs it alone, so that is done before anybody else can see it.
    func fill(_ path: String, from old: String?) throws {
        let new = try connect(path, synchronous: "OFF")
        defer { try? new.close() }
        guard let old, let image = PageImage(path: old) else { return }
        try new.write { try Salvage(limit: limit).copy(from: image, to: $0) }
        _ = try new.writeWithoutTransaction { try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// - Parameter synchronous: `NORMAL` waits for the disk only where the log is emptied: what a power cut takes is
    ///   fetched again, and it takes the latest only. A killed process loses nothing. Removals do wait.
    private func connect(_ path: String, synchronous: String = "NORMAL") throws -> DatabaseQueue {
        let connection = try DatabaseQueue(path: path, configuration: EntrySQL.configuration(busySeconds: busySeconds))
        try connection.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(synchronous)") }
        try EntrySQL.prepare(connection)
        return connection
    }
}
