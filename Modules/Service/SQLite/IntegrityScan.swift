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

    private let path: String
    private let due = Mutex(ContinuousClock.now)
    private let running = Mutex<DatabaseQueue?>(nil)
    private let isStopped = Mutex(false)

    init(path: String) { self.path = path }

    /// Blocks while it reads, unless none is due.
    ///
    /// - Returns: What is damaged; `nil` for nothing.
    func flaw() throws -> String? {
        let start = ContinuousClock.now
        let isDue = due.withLock { due in
            guard start >= due else { return false }
            // Until this one is done no other begins.
            due = start + .seconds(3600)
            return true
        }
        guard isDue else { return nil }
        defer {
            let end = ContinuousClock.now
            due.withLock { $0 = end + (end - start) * 100 }
        }
        return try look()
    }

    /// Ends a scan that runs, so that nothing waits for it; none begins after it.
    func stop() {
        isStopped.withLock { $0 = true }
        running.withLock { $0?.interrupt() }
    }

    private func look() throws -> String? {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            running.withLock { $0 = database }
            defer { running.withLock { $0 = nil } }
            guard !isStopped.withLock({ $0 }) else { return nil }
            let words = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            try database.close()
            return words == "ok" ? nil : words ?? "unreadable"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return nil
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return error.message ?? "\(error.resultCode)"
        }
    }
}
