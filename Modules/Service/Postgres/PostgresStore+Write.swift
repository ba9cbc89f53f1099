import Logging
import StrataConcurrency
public import StrataService

extension PostgresStore {
    /// - Throws: `StoreError.unavailable` also when other writes take longer than 15 seconds.
    @discardableResult public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await write(within: waits.turn, body)
    }

    /// - Parameter wait: For the turn of this write; `nil` for as long as it takes.
    @discardableResult func write<Result: Sendable>(
        within wait: Duration?, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let end = wait.map { timers.now + $0 }
        guard try await writers.acquire(until: end.map { WaitLimit(at: $0, on: timers) }) else {
            throw Self.noTurn
        }
        defer { writers.release() }
        let (announcement, opening) = (replica.announcement, WritersLock.opening(waits))
        for _ in 0..<Self.mostRuns {
            switch try await inTurn(by: end, { try Self.outcome(on: $0, opening, announcement, body) }) {
            case .committed(let result):
                statistics.countCommit()
                return result
            case .unknown(let result, let id):
                if try await isCommitted(id, by: end) {
                    statistics.countCommit()
                    return result
                }
            }
        }
        throw StoreError.unavailable("the connection is lost at each commit")
    }

    private static let noTurn = StoreError.unavailable("other writes take too long")

    /// As `running`, for a body that begins with the lock of writers. While another session has it, this ends a session that
    /// stands still with it, and tries again.
    private func inTurn<Result: Sendable>(
        by end: Duration?, _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        while true {
            do { return try await repeating(body) } catch let failure as PostgresFailure {
                guard failure.isLockTimeout else { throw failure.storeError() }
                let ended = try await running({ [waits] in try WritersLock.endStandstill(waits, on: $0) })
                for session in ended {
                    logger.warning(
                        "the session of a replica that stood still inside of a write was ended",
                        metadata: ["session": "\(session)"])
                }
                // The lock that was just freed is worth another try.
                if ended.isEmpty, let end, end <= timers.now { throw Self.noTurn }
            }
        }
    }

    /// How a write ended that was not rolled back.
    private enum Outcome<Result: Sendable>: Sendable {
        case committed(Result)
        /// The connection was lost during COMMIT.
        case unknown(Result, id: String)
    }

    private static func outcome<Result: Sendable>(
        on connection: PostgresConnection, _ opening: [Statement], _ announcement: String,
        _ body: (any StoreTransaction) throws -> Result
    ) throws -> Outcome<Result> {
        var done: (result: Result, id: String)?
        do {
            let result = try transaction(on: connection, opening) {
                let result = try body(PostgresTransaction(connection: connection))
                done = connection.openingValue.map { (result, $0) }
                return result
            } ending: {
                try connection.commit(connection.isAnnounced ? "\(announcement); COMMIT" : "COMMIT")
            }
            return .committed(result)
        } catch let failure as PostgresFailure where failure.isDisconnected {
            guard let done, connection.setback?.isDisconnected == true else { throw failure }
            return .unknown(done.result, id: done.id)
        }
    }

    /// Whether a transaction was committed whose connection was lost during COMMIT. Once this has the lock of writers, that
    /// transaction has ended.
    ///
    /// - Throws: `StoreError.unavailable` when the server does not tell. The caller then does not know the outcome either; a
    ///   request with an idempotency key may be sent again.
    private func isCommitted(_ id: String, by end: Duration?) async throws -> Bool {
        let status = try await inTurn(by: end) { connection in
            try Self.transaction(on: connection, []) {
                try connection.run("BEGIN; SELECT \(WritersLock.take); SELECT pg_xact_status('\(id)')")
            } ending: {
                try connection.end()
            }
        }
        switch status {
        case "committed": return true
        case "aborted": return false
        default: throw StoreError.unavailable("the connection was lost during a commit whose outcome is not known")
        }
    }
}
