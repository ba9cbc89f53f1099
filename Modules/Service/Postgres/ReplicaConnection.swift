import CLibPQ
import Logging
import StrataConcurrency
import StrataService
import StrataSystem

/// The connection of a replica beside its pool. It hears of the commits of other replicas (`LISTEN`), and tries to hold the lock
/// of the replica that does the background work. The server releases that lock when the connection ends.
final class ReplicaConnection: Sendable {
    /// The channel of a schema. Two services may share a database.
    private static let channel = "'strata_' || (hashtext(current_schema())::bigint & 4294967295)"
    private static let lock = "pg_try_advisory_lock(917491067, hashtext(current_schema()))"

    private let location: PostgresLocation
    private let application: String
    private let longestWait: Duration
    /// A lost notification delays a waiting client by at most this.
    private let pollInterval: Duration
    private let logger: Logger
    private let holdsLock = Mutex(false)
    /// Of this process, so that it does not hear its own commits.
    private let id = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    init(
        _ location: PostgresLocation, application: String, longestWait: Duration, pollInterval: Duration, logger: Logger
    ) {
        self.location = location
        self.application = application
        self.longestWait = longestWait
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// Whether this replica does the background work.
    var isMaintainer: Bool { holdsLock.withLock { $0 } }

    /// SQL that tells the other replicas of the commit of its transaction. PostgreSQL sends it with the commit.
    var announcement: String { "SELECT pg_notify(\(Self.channel), '\(id)')" }

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
            while true {
                if !isMaintainer, try connection.run("SELECT \(Self.lock)") == "t" { holdsLock.withLock { $0 = true } }
                // Also after the first LISTEN: a commit before it was not announced to this connection.
                body()
                try connection.waitForNotification(except: id, until: .now + pollInterval)
            }
        } catch is CancellationError {
            holdsLock.withLock { $0 = false }
        } catch {
            holdsLock.withLock { $0 = false }
            logger.warning("the connection for commits of other replicas is lost", metadata: ["error": "\(error)"])
            body()
            interrupt.wait(atMost: .seconds(1))
        }
    }
}
