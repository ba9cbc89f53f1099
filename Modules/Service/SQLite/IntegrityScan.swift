import GRDB
import StrataConcurrency
import StrataService

/// Checks the whole file for damage at intervals.
///
/// A scan reads every page on its own connection, so that it reads the disk and not a cache. Scans take at most a hundredth
/// of the time: after a scan of 2 s the next is due 200 s later.
final class IntegrityScan: Sendable {
    /// Largest database that is checked before it is served, in bytes: 512 MiB take about two seconds.
    static let largestAtStart = 512 << 20

    private struct State {
        var due = ContinuousClock.now
        /// The connection of the current scan.
        var connection: DatabaseQueue?
        var isStopped = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    /// Reads the whole file if a scan is due. Blocks.
    ///
    /// - Returns: What is damaged; `nil` for nothing.
    func flaw() throws -> String? {
        let start = ContinuousClock.now
        let isDue = state.withLock { state in
            guard start >= state.due else { return false }
            // No other scan begins before this one ends.
            state.due = start + .seconds(3600)
            return true
        }
        guard isDue else { return nil }
        defer {
            let end = ContinuousClock.now
            state.withLock { $0.due = end + (end - start) * 100 }
        }
        return try check()
    }

    /// Ends the current scan. None begins afterwards.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.connection?.interrupt()
        }
    }

    private func check() throws -> String? {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        do {
            let connection = try DatabaseQueue(path: path, configuration: configuration)
            let isStopped = state.withLock { state in
                state.connection = connection
                return state.isStopped
            }
            defer { state.withLock { $0.connection = nil } }
            guard !isStopped else { return nil }
            let result = try connection.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            try connection.close()
            return result == "ok" ? nil : result ?? "unreadable"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return nil
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return error.message ?? "\(error.resultCode)"
        }
    }
}
