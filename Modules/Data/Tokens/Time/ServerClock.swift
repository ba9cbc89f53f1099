public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// The server's time, as far as the `Date` fields of its answers tell it; the clock of this machine until then.
///
/// `Date` counts whole seconds and was written at some moment between question and answer (RFC 9110, section 6.6.1), so a
/// difference within that doubt changes nothing; a larger one replaces what was known. What was learned is kept with the
/// tokens, so that the next process judges their stamps by the same clock.
public final class ServerClock: WallClock {
    private struct State {
        var offset: TimeInterval = 0
        var isLearned = false
    }

    /// An answer that took longer says too little.
    private static let longestExchange: TimeInterval = 30

    private let local: any WallClock
    private let state = Mutex(State())

    public init(_ local: any WallClock = SystemWallClock()) { self.local = local }

    public var now: Date { local.now.addingTimeInterval(offset).roundedToMillisecond }

    /// Seconds by which the server is ahead of this machine.
    public var offset: TimeInterval { state.withLock(\.offset) }

    /// Takes an offset that was learned earlier, until an answer tells a better one.
    public func assume(_ offset: TimeInterval) {
        guard offset.isFinite else { return }
        state.withLock { if !$0.isLearned { $0.offset = offset } }
    }

    /// Learns from an answer.
    ///
    /// - Parameter asked: When the request left, as `now` said then.
    /// - Returns: The same moment on the clock as it is after learning.
    @discardableResult
    public func learn(from head: ResponseHead, askedAt asked: Date) -> Date {
        // An answer out of a cache is older than it looks.
        let received = local.now
        guard (head.headers["Age"] ?? "0") == "0",
            let date = head.headers["Date"].flatMap({ HTTPDate.date(from: $0, now: received) })
        else { return asked }
        return state.withLock { state in
            let exchange = received.addingTimeInterval(state.offset).timeIntervalSince(asked)
            guard (0...Self.longestExchange).contains(exchange) else { return asked }
            let middle = received.addingTimeInterval(-exchange / 2)
            let measured = date.addingTimeInterval(0.5).timeIntervalSince(middle)
            let change = measured - state.offset
            state.isLearned = true
            guard abs(change) > 1 + exchange / 2 else { return asked }
            state.offset = measured
            return asked.addingTimeInterval(change).roundedToMillisecond
        }
    }
}

extension WallClock {
    /// When a request left that was answered with `head`: learned from the answer by a `ServerClock`, else `asked`.
    public func moment(_ asked: Date, answeredBy head: ResponseHead) -> Date {
        (self as? ServerClock)?.learn(from: head, askedAt: asked) ?? asked
    }

    /// What to keep with tokens that are stamped by this clock.
    var learnedOffset: TimeInterval? { (self as? ServerClock)?.offset }

    /// Judges `tokens` by the clock they were stamped with, unless this process has asked the server already.
    func adopt(_ tokens: SessionTokens?) {
        if let offset = tokens?.clockOffset { (self as? ServerClock)?.assume(offset) }
    }
}
