import GRDB
import Logging
import StrataConcurrency
import StrataService
import StrataSystem

/// Checks that the open database is the file at its path and is not damaged. Otherwise no write is acknowledged.
///
/// Writes continue when a file that was removed or replaced is put back. After damage, or the loss of the write-ahead log,
/// they fail until the process ends.
final class DatabaseWatch: Sendable {
    /// Why writes fail.
    enum Fault: Sendable, Hashable {
        /// Another file is at the path, or none.
        case moved
        /// The write-ahead log or its shared memory file was removed.
        case logRemoved
        case damaged(String)
    }

    private struct State {
        var fault: Fault?
        /// The last connection removes the files beside the database, which is no fault.
        var isClosed = false
        /// The files `-wal` and `-shm`; `nil` for one that has not existed yet.
        var companions: [FileIdentity?]
        var commits = 0
        var busy = 0
    }

    private let path: String
    private let companionPaths: [String]
    private let file: FileIdentity?
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: The path of the settings; may be a symbolic link.
    ///   - realPath: The path without symbolic links, beside which SQLite keeps its log.
    init(path: String, realPath: String, logger: Logger) {
        self.path = path
        self.logger = logger
        companionPaths = ["\(realPath)-wal", "\(realPath)-shm"]
        file = Self.identity(path)
        state = Mutex(State(companions: companionPaths.map { Self.identity($0) }))
    }

    /// The current fault; `nil` for none. Three system calls.
    var fault: Fault? {
        // Under the lock, so that an older result never replaces a newer one.
        let (old, new) = state.withLock { state in
            let old = state.fault
            guard !state.isClosed else { return (old, old) }
            state.fault = Self.fault(
                old, Self.identity(path) == file, companionPaths.map { Self.identity($0) }, known: &state.companions)
            return (old, state.fault)
        }
        if old != new { report(new) }
        return new
    }

    /// - Returns: `nil` when the file does not exist or cannot be reached.
    private static func identity(_ path: String) -> FileIdentity? { try? Stat(path: path, following: true).identity }

    private static func fault(
        _ old: Fault?, _ isInPlace: Bool, _ companions: [FileIdentity?], known: inout [FileIdentity?]
    ) -> Fault? {
        switch old {
        case .damaged, .logRemoved: return old
        case .moved, nil: break
        }
        guard isInPlace else { return .moved }
        for (place, identity) in companions.enumerated() {
            guard let seen = known[place] else {
                known[place] = identity
                continue
            }
            guard identity == seen else { return .logRemoved }
        }
        return nil
    }

    /// - Throws: `StoreError.unavailable` while there is a fault.
    func requireSound() throws(StoreError) {
        if let fault { throw .unavailable(sentence(fault)) }
    }

    /// Ends the checks.
    ///
    /// - Returns: `false` for a second call.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    func countCommit() { state.withLock { $0.commits += 1 } }

    /// Logs that a connection could not end its transaction. The connection is not used again inside of it.
    func noteUnended(_ error: any Error) {
        logger.error("a transaction could not be ended", metadata: ["database": "\(path)", "error": "\(error)"])
    }

    /// Records damage that a read or a scan found.
    func noteDamage(_ message: String) {
        let isNew = state.withLock { state in
            if case .damaged = state.fault { return false }
            state.fault = .damaged(message)
            return true
        }
        if isNew { report(.damaged(message)) }
    }

    /// The result of `body`. Errors of SQLite are recorded and become errors of the port.
    func mapping<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError { throw noted(error) }
    }

    func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as DatabaseError { throw noted(error) }
    }

    /// The error of the port for an error of SQLite, which is recorded.
    func noted(_ error: DatabaseError) -> StoreError {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: noteDamage(error.message ?? "\(error.resultCode)")
        case .SQLITE_BUSY, .SQLITE_LOCKED: state.withLock { $0.busy += 1 }
        default: break
        }
        return StoreError(error)
    }

    private func report(_ fault: Fault?) {
        if let fault {
            logger.critical("\(sentence(fault)) No write is acknowledged until then.")
        } else {
            logger.notice("The database '\(path)' is in its place again; writes continue.")
        }
    }

    private func sentence(_ fault: Fault) -> String {
        switch fault {
        case .moved:
            "The database '\(path)' was removed or replaced under the running program; put it back, or stop the program."
        case .logRemoved:
            "The write-ahead log of the database '\(path)' was removed under the running program; stop the program, and put a "
                + "backup in its place if data is missing."
        case .damaged(let message):
            "The database '\(path)' is damaged (\(message)); stop the program and put a backup in its place."
        }
    }

    /// Bytes of the write-ahead log; `nil` after the last connection of all processes has closed.
    var logSize: Int? { Stat.size(at: companionPaths[0]) }

    /// For `/metrics`.
    var samples: [MetricSample] {
        let isUsable = fault == nil
        let (commits, busy) = state.withLock { ($0.commits, $0.busy) }
        return [
            MetricSample(
                "database_usable", .gauge, "1 while the database can be written, 0 when it is removed or damaged.",
                isUsable ? 1 : 0),
            MetricSample("database_size_bytes", .gauge, "Size of the database file.", Double(Stat.size(at: path) ?? 0)),
            MetricSample(
                "database_wal_size_bytes", .gauge, "Size of the write-ahead log.",
                Double(logSize ?? 0)),
            MetricSample("database_commits_total", .counter, "Transactions committed.", Double(commits)),
            MetricSample(
                "database_busy_total", .counter, "Statements given up because another process held the database.",
                Double(busy)),
        ]
    }
}
