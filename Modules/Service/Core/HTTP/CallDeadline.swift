import HTTPTypes
import StrataConcurrency
import StrataDomain

/// When a call stops: its caller says with `X-Request-Deadline-Ms` how long it still waits, and a limit of ours caps that.
struct CallDeadline: Sendable {
    private let timers: TimerQueue
    private let start: Duration
    /// How long the caller waits, from the arrival of the call; `nil` when it does not say.
    private let patience: Duration?

    /// - Throws: 400 for what is no number of milliseconds.
    init(_ headers: HTTPFields, on timers: TimerQueue) throws {
        self.timers = timers
        start = timers.now
        patience = try Self.patience(headers)
    }

    /// How long the caller waits for an answer that we make within `limit`, from the arrival of the call.
    func timeLeft(of limit: Duration) -> Duration { min(limit, patience ?? limit) }

    /// Runs `body` no longer than the caller waits, and no longer than `limit` from the arrival of the call.
    ///
    /// - Throws: 504 when the time is up; then `body` was cancelled and has ended.
    func bound<Result: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let result = try await withTimeLimit(until: start + timeLeft(of: limit), on: timers, body) else {
            throw ServiceError(
                504, code: "deadline_exceeded", title: "Too late",
                detail:
                    "The call was stopped because its deadline passed; its outcome is unknown, ask before repeating.")
        }
        return result
    }

    private static func patience(_ headers: HTTPFields) throws -> Duration? {
        let sent = headers[values: .xDeadline]
        guard let text = sent.first else { return nil }
        guard sent.count == 1, !text.isEmpty, text.utf8.count <= 18,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let milliseconds = Int64(text)
        else {
            throw EndpointError(
                .malformed, in: .header, key: "X-Request-Deadline-Ms", expected: "a number of milliseconds, sent once")
        }
        return .milliseconds(milliseconds)
    }
}
