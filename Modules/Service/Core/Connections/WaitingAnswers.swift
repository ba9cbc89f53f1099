import StrataConcurrency

/// Bounds the bytes of answers that wait for their readers, over all connections.
///
/// Above the bound the connection whose reader has taken nothing for the longest time is closed, until the rest fits; a
/// reader that has taken something within the last second is spared up to twice the bound.
final class WaitingAnswers: Sendable {
    private struct Answer {
        var bytes: Int
        var lastTaken: Duration
        let end: @Sendable () -> Void
    }

    private struct State {
        var total = 0
        var answers: [ConnectionLimits.ID: Answer] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A reader on a network takes something in this time.
    private static let patience = Duration.seconds(1)

    /// - Parameter limit: In bytes, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Bytes that wait now.
    var total: Int { state.withLock { $0.total } }

    /// - Parameters:
    ///   - bytes: That wait on this connection; 0 forgets it.
    ///   - hasTaken: Whether the reader has taken something since the last call.
    ///   - end: Closes the connection.
    func set(
        _ bytes: Int, for connection: ConnectionLimits.ID, hasTaken: Bool, at now: Duration,
        end: @escaping @Sendable () -> Void
    ) {
        let ends = state.withLock { state -> [@Sendable () -> Void] in
            let known = state.answers[connection]
            state.total += bytes - (known?.bytes ?? 0)
            state.answers[connection] =
                bytes == 0
                ? nil : Answer(bytes: bytes, lastTaken: hasTaken ? now : known?.lastTaken ?? now, end: end)
            var ends: [@Sendable () -> Void] = []
            while state.total > limit, let slowest = state.answers.min(by: { $0.value.lastTaken < $1.value.lastTaken }),
                now - slowest.value.lastTaken >= Self.patience || state.total > 2 * limit
            {
                state.total -= slowest.value.bytes
                state.answers[slowest.key] = nil
                ends.append(slowest.value.end)
            }
            return ends
        }
        for end in ends { end() }
    }
}
