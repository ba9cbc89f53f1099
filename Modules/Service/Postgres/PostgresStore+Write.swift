import Logging
import StrataConcurrency
public import StrataService

extension PostgresStore {
    /// - Throws: `StoreError.unavailable` also when other writes take longer than 15 seconds, and for a body that others overtake
    ///   again and again.
    @discardableResult public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await write(within: waits.turn, { WriteOpening.body($0, among: $1) }, body)
    }

    /// - Parameters:
    ///   - wait: For the turn of this write, and for its last repetition; `nil` for as long as it takes.
    ///   - opening: The statements before `body`; its second argument says what else runs meanwhile.
    @discardableResult func write<Result: Sendable>(
        within wait: Duration?, _ opening: (PostgresWaits, WriteOpening.Company) -> [Statement],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let end = wait.map { timers.now + $0 }
        guard try await writers.acquire(until: end.map { WaitLimit(at: $0, on: timers) }) else {
            throw StoreError.unavailable("other writes take too long")
        }
        defer { writers.release() }
        var (conflicts, losses, hasEnded) = (0, 0, false)
        while true {
            let company = company(after: conflicts)
            do {
                let outcome = try await run(opening(waits, company), afterOthers: conflicts >= 2, body)
                switch outcome {
                case .committed(let result, let isAnnounced):
                    return acknowledge(result, isAnnounced)
                case .unknown(let result, let isAnnounced, let id):
                    if try await isCommitted(id, by: end) { return acknowledge(result, isAnnounced) }
                    losses += 1
                    guard losses < Self.mostRuns else {
                        throw StoreError.unavailable("the connection is lost at each commit")
                    }
                }
            } catch let failure as PostgresFailure {
                if failure.isConflict || company == .none && failure.isLockTimeout {
                    conflicts += 1
                    try await pause(after: conflicts, failure, by: end)
                } else if failure.isLockTimeout {
                    let isLate = end.map { $0 <= timers.now } ?? false
                    switch try await endStandstill() {
                    case .ended: hasEnded = true
                    case .waits where !isLate: break
                    // A session that was ended keeps its locks for a moment.
                    case .nothing where hasEnded && !isLate: break
                    case .waits, .nothing: if end != nil { throw failure.storeError() }
                    }
                } else {
                    losses += 1
                    guard failure.isRetryable, losses < Self.mostRuns else { throw failure.storeError() }
                    noteRetry(failure)
                }
            }
        }
    }

    private func acknowledge<Result>(_ result: Result, _ isAnnounced: Bool) -> Result {
        statistics.countCommit()
        if isAnnounced { replica.announce() }
        return result
    }

    private func run<Result: Sendable>(
        _ opening: [Statement], afterOthers: Bool, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Outcome<Result> {
        func run() async throws -> Outcome<Result> {
            try await pool.withConnection { try Self.outcome(on: $0, opening, body) }
        }
        guard afterOthers else { return try await run() }
        return try await overtaken.withPermit { try await run() }
    }

    private func company(after conflicts: Int) -> WriteOpening.Company {
        guard isMigrated.withLock({ $0 }) else { return .unknown }
        return conflicts > 0 && conflicts.isMultiple(of: Self.conflictsPerTurn) ? .none : .others
    }

    /// Waits before a body that was overtaken runs again.
    ///
    /// - Throws: `StoreError.unavailable` after the last run, and at `end`.
    private func pause(after conflicts: Int, _ failure: PostgresFailure, by end: Duration?) async throws {
        statistics.countConflict()
        let isLate = end.map { $0 <= timers.now } ?? false
        guard conflicts < Self.mostConflicts, !isLate else {
            statistics.countGivenUp()
            throw failure.storeError()
        }
        logger.debug("a write is run again", metadata: ["reason": "\(failure.message)"])
        let wait = Self.backoff.wait(after: conflicts, random: .random(in: 0...1))
        try await timers.sleep(until: timers.now + wait)
    }

    /// Ends sessions of this service that stand still, which may hold the lock that a statement has waited for.
    private func endStandstill() async throws -> Standstill.Finding {
        try await running { [waits, logger] connection in
            try connection.begin([])
            return try Standstill.end(waits, on: connection, logger)
        }
    }

    /// How a write ended that was not rolled back.
    private enum Outcome<Result: Sendable>: Sendable {
        case committed(Result, isAnnounced: Bool)
        /// The connection was lost during COMMIT.
        case unknown(Result, isAnnounced: Bool, id: String)
    }

    private static func outcome<Result: Sendable>(
        on connection: PostgresConnection, _ opening: [Statement],
        _ body: (any StoreTransaction) throws -> Result
    ) throws -> Outcome<Result> {
        var done: (result: Result, id: String)?
        do {
            let result = try transaction(on: connection, opening, isWriting: true) {
                let result = try body(PostgresTransaction(connection: connection, changes: ChangeCounter()))
                // Before COMMIT the id must be known, for the case that its outcome is not.
                if !connection.opening.isEmpty, !connection.later.isEmpty {
                    _ = try connection.batch(nil, commits: false)
                }
                done = connection.openingValue.map { (result, $0) }
                return result
            } ending: {
                try connection.commit()
            }
            return .committed(result, isAnnounced: connection.isAnnounced)
        } catch let failure as PostgresFailure where failure.isDisconnected {
            guard let done, connection.setback?.isDisconnected == true else { throw failure }
            return .unknown(done.result, isAnnounced: connection.isAnnounced, id: done.id)
        }
    }

    /// Whether a transaction was committed whose connection was lost during COMMIT. It may still be under way.
    ///
    /// - Throws: `StoreError.unavailable` when the server does not tell. The caller then does not know the outcome either; a
    ///   request with an idempotency key may be sent again.
    private func isCommitted(_ id: String, by end: Duration?) async throws -> Bool {
        while true {
            let status = try await running { connection in
                try connection.begin([])
                return try connection.run("SELECT pg_xact_status('\(id)')")
            }
            switch status {
            case "committed": return true
            case "aborted": return false
            case "in progress" where end.map { timers.now < $0 } ?? true:
                try await timers.sleep(until: timers.now + .milliseconds(20))
            default:
                throw StoreError.unavailable("the connection was lost during a commit whose outcome is not known")
            }
        }
    }
}
