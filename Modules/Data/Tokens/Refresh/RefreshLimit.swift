import FoundationEssentials
import StrataDomain

/// Stops the loop in which a server hands out tokens and refuses each at once.
///
/// Only tokens that are replaced in the first half of their life count, so that tokens living two seconds may be
/// renewed for ever.
struct RefreshLimit {
    private let window = 30.0
    private let most = 5
    private var times: [Date] = []

    /// Counts a refresh that is about to be sent.
    ///
    /// - Returns: `nil` when it may be sent, otherwise how long to wait first.
    mutating func admit(replacing tokens: SessionTokens, at now: Date) -> Duration? {
        guard tokens.isYoung(at: now) else { return nil }
        times.removeAll { $0 > now || now.timeIntervalSince($0) >= window }
        if let first = times.first, times.count >= most { return .seconds(window - now.timeIntervalSince(first)) }
        times.append(now)
        return nil
    }
}
