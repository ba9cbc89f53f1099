import CLibPQ
import Logging
import StrataConcurrency
import StrataService
import StrataSystem

/// The connection of a replica beside its pool. It tells the other replicas of commits (`NOTIFY`), hears of theirs (`LISTEN`), looks
/// for the oldest open transaction that writes, and tries to hold the lock of the replica that does the background work. The
/// server releases that lock when the connection ends.
final class ReplicaConnection: Sendable {
    /// The channel of a schema. Two services may share a database.
    private static let channel = "'strata_' || (hashtext(current_schema())::bigint & 4294967295)"
    private static let lock = "pg_try_advisory_lock(917491067, hashtext(current_schema()))"
    /// From one announcement to the next, at least. PostgreSQL keeps a lock from a NOTIFY to the end of COMMIT, so transactions
    /// that announce themselves could not share a flush.
    private static let quietTime = Duration.milliseconds(20)
    /// How often it looks for the oldest writer.
    private static let lookInterval = Duration.seconds(2)

    let oldestWriter = OldestWriter()
    private let location: PostgresLocation
    private let application: String
    private let longestWait: Duration
    /// A lost notification delays a waiting client by at most this.
    private let pollInterval: Duration
    private let waits: PostgresWaits
    private let statistics: PostgresStatistics
    private let logger: Logger
    private let holdsLock = Mutex(false)
    /// Rings for commits that are not announced yet.
    private let bell: Doorbell
    /// Of this process, so that it does not hear its own commits.
    private let id = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    /// - Throws: `Errno` when no file is left to open.
    init(
        _ location: PostgresLocation, application: String, longestWait: Duration, pollInterval: Duration,
        waits: PostgresWaits, statistics: PostgresStatistics, logger: Logger
    ) throws(Errno) {
        bell = try Doorbell()
        self.location = location
        self.application = application
        self.longestWait = longestWait
        self.pollInterval = pollInterval
        self.waits = waits
        self.statistics = statistics
        self.logger = logger
    }

    /// Whether this replica does the background work.
    var isMaintainer: Bool { holdsLock.withLock { $0 } }

    /// Tells the other replicas, within 20 ms, that something was committed. Does nothing while `run` does not run, and what was
    /// missed is told when it does.
    func announce() { bell.ring() }

    /// Calls `body` after commits of others, after each new connection, and at every poll, until the task is cancelled.
    func run(_ body: @escaping @Sendable () -> Void) async {
        guard let interrupt = try? Interrupt() else {
            logger.error("no commit of another replica is heard: no file is left to open")
            return
        }
        await withTaskCancellationHandler {
            await runBlocking { [self] in
                while !interrupt.isRaised { session(interrupt, body) }
            }
        } onCancel: {
            interrupt.raise()
        }
    }

    /// Returns after the connection is lost, at the earliest after a second, or after the interrupt.
    private func session(_ interrupt: Interrupt, _ body: () -> Void) {
        do {
            let connection = try PostgresConnection(
                location, application: application, limit: longestWait, interrupt: interrupt)
            connection.interrupt = interrupt
            let channel = try connection.run("SELECT \(Self.channel)") ?? ""
            try connection.run("LISTEN \"\(channel)\"")
            // Also after the first LISTEN: a commit before it was not announced to this connection.
            body()
            try follow(on: connection, body)
        } catch is CancellationError {
            endSession()
        } catch {
            endSession()
            logger.warning("the connection for commits of other replicas is lost", metadata: ["error": "\(error)"])
            body()
            interrupt.wait(atMost: .seconds(1))
        }
    }

    private func endSession() {
        holdsLock.withLock { $0 = false }
        oldestWriter.forget()
    }

    /// Announces and hears until the connection is lost.
    private func follow(on connection: PostgresConnection, _ body: () -> Void) throws {
        var (nextPoll, nextLook, nextAnnouncement) = (ContinuousClock.now, ContinuousClock.now, ContinuousClock.now)
        while true {
            if nextLook <= .now {
                try look(on: connection)
                nextLook = .now + Self.lookInterval
            }
            if nextPoll <= .now {
                if !isMaintainer, try connection.run("SELECT \(Self.lock)") == "t" { holdsLock.withLock { $0 = true } }
                body()
                nextPoll = .now + pollInterval
            }
            if bell.isRinging, nextAnnouncement <= .now {
                bell.answer()
                do { try connection.run("SELECT pg_notify(\(Self.channel), '\(id)')") } catch {
                    bell.ring()
                    throw error
                }
                statistics.countAnnouncement()
                nextAnnouncement = .now + Self.quietTime
            }
            let isQuiet = bell.isRinging
            let end = min(nextPoll, nextLook, isQuiet ? nextAnnouncement : nextPoll)
            let isOther = try connection.waitForNotification(except: id, or: isQuiet ? nil : bell, until: end)
            if isOther { body() }
        }
    }

    private func look(on connection: PostgresConnection) throws {
        oldestWriter.note(try connection.run(OldestWriter.query), at: .now)
        // Of a row that it keeps locked, a writer that waits for it takes care.
        guard oldestWriter.age > waits.standstill else { return }
        _ = try Standstill.end(waits, on: connection, logger)
    }
}
