import GRDB
import Logging
import StrataConcurrency
import StrataService
import StrataSystem

/// Knows whether the database that is open is still the one its path names, and whole: from the moment it is not, no
/// write is acknowledged.
///
/// A database that was removed or replaced can be put back, by its own file. One that is damaged, or whose write-ahead log
/// is gone, stays refused until the process ends.
final class DatabaseWatch: Sendable {
    /// Why nothing is written.
    enum Fault: Sendable, Hashable {
        /// The path names another file, or none.
        case moved
        /// The write-ahead log, or the memory it is shared by, was removed.
        case logRemoved
        case damaged(String)
    }

    private struct State {
        var fault: Fault?
        /// The files beside the database go with the last connection, and that is no fault.
        var isClosed = false
        /// Of `-wal` and `-shm`; `nil` before they were seen.
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
    ///   - path: As it was given; may be a symbolic link.
    ///   - realPath: Where SQLite keeps its log.
    init(path: String, realPath: String, logger: Logger) {
        self.path = path
        self.logger = logger
        companionPaths = ["\(realPath)-wal", "\(realPath)-shm"]
        file = Self.identity(path)
        state = Mutex(State(companions: companionPaths.map { Self.identity($0) }))
    }

    /// What is wrong now. Three calls of the system, some microseconds.
    var fault: Fault? {
        // Looked at under the lock, so that an older look never overrules a newer one.
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

    /// - Returns: `nil` when there is no such file, or it cannot be reached.
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

    /// - Throws: `StoreError.unavailable` while something is wrong.
    func requireSound() throws(StoreError) {
        if let fault { throw .unavailable(sentence(fault)) }
    }

    /// Looks no more.
    ///
    /// - Returns: Whether it looked until now.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    func countCommit() { state.withLock { $0.commits += 1 } }

    /// Notes that a look at the whole file found damage.
    func noteDamage(_ message: String) {
        let isNew = state.withLock { state in
            if case .damaged = state.fault { return false }
            state.fault = .damaged(message)
            return true
        }
        if isNew { report(.damaged(message)) }
    }

    /// What `body` returns; SQLite's errors are noted and become the port's.
    func mapping<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError { throw noted(error) }
    }

    func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as DatabaseError { throw noted(error) }
    }

    private func noted(_ error: DatabaseError) -> StoreError {
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
            logger.notice("The database '\(path)' is in its place again; writes go on.")
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

    /// Bytes of the write-ahead log; `nil` when there is none, as after the last connection of any process has ended.
    var logSize: Int? {
        Stat.size(at: companionPaths[0])
    }

    // MARK: Figures

    /// For `/metrics`.
    var samples: [MetricSample] {
        let isUsable = fault == nil
        let (commits, busy) = state.withLock { ($0.commits, $0.busy) }
        return [
            MetricSample(
                "database_usable", .gauge, "1 while the database can be written, 0 when it is gone or damaged.",
                isUsable ? 1 : 0),
            MetricSample("database_size_bytes", .gauge, "Size of the database file.", Double(Stat.size(at: path) ?? 0)),
            MetricSample(
                "database_wal_size_bytes", .gauge, "Size of the write-ahead log.",
                Double(Stat.size(at: companionPaths[0]) ?? 0)),
            MetricSample("database_commits_total", .counter, "Transactions committed.", Double(commits)),
            MetricSample(
                "database_busy_total", .counter, "Statements given up because another process held the database.",
                Double(busy)),
        ]
    }
}
