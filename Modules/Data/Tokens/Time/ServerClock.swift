public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// The server's time, from the `Date` fields of its responses; the clock of this machine until the first one.
///
/// `Date` has whole seconds and was written between request and response (RFC 9110, section 6.6.1). A difference within that
/// uncertainty changes nothing; a larger one replaces the known offset. The offset is stored with the tokens, so that the next
/// process compares their times with the same clock.
public final class ServerClock: WallClock {
    private struct State {
        var offset: TimeInterval = 0
        var isLearned = false
    }

    /// A response that took longer is too uncertain.
    private static let longestExchange: TimeInterval = 30

    private let local: any WallClock
    private let state = Mutex(State())

    public init(_ local: any WallClock = SystemWallClock()) { self.local = local }

    public var now: Date { local.now.addingTimeInterval(offset).roundedToMillisecond }

    /// Seconds by which the server is ahead of this machine.
    public var offset: TimeInterval { state.withLock(\.offset) }

    /// Takes an offset that was learned earlier, until a response gives a better one.
    public func assume(_ offset: TimeInterval) {
        guard offset.isFinite else { return }
        state.withLock { if !$0.isLearned { $0.offset = offset } }
    }

    /// Learns from a response.
    ///
    /// - Parameter asked: When the request left, as `now` said then.
    /// - Returns: The same moment on the clock as it is after learning.
    @discardableResult
    public func learn(from head: ResponseHead, askedAt asked: Date) -> Date {
        // A response from a cache is older than its `Date`.
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
    /// When the request of the response `head` left. A `ServerClock` learns from `head` first; any other clock returns `asked`.
    public func moment(_ asked: Date, answeredBy head: ResponseHead) -> Date {
        (self as? ServerClock)?.learn(from: head, askedAt: asked) ?? asked
    }

    /// The offset to store with tokens that have times of this clock.
    var learnedOffset: TimeInterval? { (self as? ServerClock)?.offset }

    /// Takes the clock of `tokens`, unless this process has a response of the server already.
    func adopt(_ tokens: SessionTokens?) {
        if let offset = tokens?.clockOffset { (self as? ServerClock)?.assume(offset) }
    }
}
