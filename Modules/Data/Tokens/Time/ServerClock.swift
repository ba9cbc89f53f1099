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
        var offset: TimeInterval?
        /// Whether `offset` is measured by this process, not stored by an earlier one.
        var isMeasured = false
    }

    /// A response that took longer is too uncertain.
    private static let longestExchange: TimeInterval = 30

    private let local: any WallClock
    private let state = Mutex(State())

    /// The clock of a server; until one is observed it is `local`.
    public init(_ local: any WallClock = SystemWallClock()) { self.local = local }

    public var now: Date { local.now.addingTimeInterval(offset ?? 0).roundedToMillisecond }

    /// Seconds by which the server is ahead of this machine; `nil` when unknown.
    public var offset: TimeInterval? { state.withLock(\.offset) }

    /// Uses an offset that was stored with tokens, until a response gives a measured one.
    package func assume(_ offset: TimeInterval?) {
        guard let offset, offset.isFinite else { return }
        state.withLock { if !$0.isMeasured { $0.offset = offset } }
    }

    /// Measures the offset by the `Date` of a response.
    ///
    /// - Parameter asked: `now` when the request was sent.
    /// - Returns: The same instant by the new offset.
    @discardableResult
    public func learn(from head: ResponseHead, askedAt asked: Date) -> Date {
        // A response from a cache is older than its `Date`.
        let received = local.now
        guard (head.headers["Age"] ?? "0") == "0",
            let date = head.headers["Date"].flatMap({ HTTPDate.date(from: $0, now: received) })
        else { return asked }
        return state.withLock { state in
            let known = state.offset ?? 0
            let exchange = received.addingTimeInterval(known).timeIntervalSince(asked)
            guard (0...Self.longestExchange).contains(exchange) else { return asked }
            let middle = received.addingTimeInterval(-exchange / 2)
            let measured = date.addingTimeInterval(0.5).timeIntervalSince(middle)
            let change = measured - known
            let isSame = abs(change) <= 1 + exchange / 2
            (state.offset, state.isMeasured) = (isSame ? known : measured, true)
            if isSame { return asked }
            return asked.addingTimeInterval(change).roundedToMillisecond
        }
    }
}
