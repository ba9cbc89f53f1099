import FoundationEssentials
import StrataDomain
import StrataSystem

/// How often tokens that are refused too early may be replaced.
public struct RefreshWindow: Sendable, Hashable {
    /// Refreshes within `interval`; 0 allows none.
    public var attempts: Int
    public var interval: Duration

    public init(attempts: Int, interval: Duration) {
        self.attempts = attempts
        self.interval = interval
    }

    /// Five in 30 seconds.
    public static let standard = RefreshWindow(attempts: 5, interval: .seconds(30))
}

/// Stops the loop in which a server issues tokens and refuses each of them at once.
///
/// Only tokens that are replaced in the first half of their life count. Tokens with a life of two seconds may be renewed
/// without end, and a renewal before sending is never refused: it comes in the second half.
struct RefreshLimit {
    /// `nil` for no limit.
    let window: RefreshWindow?
    private var times: [Date] = []

    init(_ window: RefreshWindow?) { self.window = window }

    /// Counts a refresh that is about to be sent, successful or not.
    ///
    /// - Returns: `nil` when it may be sent, otherwise how long to wait first.
    mutating func admit(replacing tokens: SessionTokens, at now: Date) -> Duration? {
        guard let window, tokens.isYoung(at: now) else { return nil }
        let interval = window.interval.inSeconds
        times.removeAll { $0 > now || now.timeIntervalSince($0) >= interval }
        if times.count >= window.attempts {
            return .seconds(interval - (times.first.map { now.timeIntervalSince($0) } ?? 0))
        }
        times.append(now)
        return nil
    }
}
