import FoundationEssentials
import StrataDomain
import StrataSystem

extension SessionTokens {
    /// Whether to renew before sending: little time is left.
    ///
    /// - Parameter skew: How much time is little, at most half of the token's life: otherwise tokens with a life of seconds
    ///   would be renewed on every call.
    func isDue(at now: Date, skew: Duration) -> Bool {
        let left = expiresAt.timeIntervalSince(now)
        guard let life else { return left <= skew.inSeconds }
        return !isExpiredOnArrival && left <= min(skew.inSeconds, life / 2)
    }

    /// Whether both are tokens of one session, as its refresh token tells, or else its access token.
    func isSameSession(as other: SessionTokens) -> Bool {
        refresh == other.refresh && (refresh != nil || access == other.access)
    }

    /// Whether the server can be expected to accept the access token.
    func isUsable(at now: Date) -> Bool { isExpiredOnArrival || now < expiresAt }

    /// Seconds from issue to expiry, where known.
    private var life: Double? { issuedAt.map { expiresAt.timeIntervalSince($0) } }

    /// Expired on arrival: a clock is wrong, and only the server's response can tell whether the token works.
    private var isExpiredOnArrival: Bool { life.map { $0 <= 0 } ?? false }
}
