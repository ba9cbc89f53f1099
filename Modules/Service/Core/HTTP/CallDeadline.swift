import HTTPTypes
import StrataConcurrency
import StrataDomain

/// The deadline of a request: `X-Request-Deadline-Ms`, capped by a limit of the service.
struct CallDeadline: Sendable {
    private let timers: TimerQueue
    private let start: Duration
    private let executor: (any TaskExecutor)?
    /// The time the caller waits, from the arrival of the request; `nil` without the header field.
    private let timeout: Duration?

    /// - Throws: 400 unless the field is a number of milliseconds from 1.
    init(_ headers: HTTPFields, on timers: TimerQueue, executor: (any TaskExecutor)? = nil) throws {
        self.timers = timers
        self.executor = executor
        start = timers.now
        timeout = try Self.timeout(headers)
    }

    /// The time for the response from the arrival of the request, at most `limit`.
    func timeLeft(of limit: Duration) -> Duration { min(limit, timeout ?? limit) }

    /// Runs `body` until the deadline of the caller, and at most `limit` from the arrival of the request.
    ///
    /// - Throws: 504 after the deadline. `body` is then cancelled and has ended.
    func bound<Result: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard
            let result = try await withTimeLimit(
                until: start + timeLeft(of: limit), on: timers, executor: executor, body)
        else {
            throw ServiceError(
                504, code: "deadline_exceeded", title: "Too late",
                detail:
                    "The deadline of the request has passed. Its outcome is unknown; check it before you repeat the request."
            )
        }
        return result
    }

    private static func timeout(_ headers: HTTPFields) throws -> Duration? {
        let sent = headers[values: .xDeadline]
        guard let text = sent.first else { return nil }
        guard sent.count == 1, text.utf8.count <= 18, let milliseconds = text.decimal(), milliseconds > 0 else {
            throw EndpointError(
                .malformed, in: .header, key: "X-Request-Deadline-Ms",
                expected: "a number of milliseconds, 1 or more, sent once")
        }
        return .milliseconds(milliseconds)
    }
}
