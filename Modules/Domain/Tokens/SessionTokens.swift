public import FoundationEssentials

/// The tokens of one session.
public struct SessionTokens: Sendable, Hashable {
    /// The token that is sent with each call.
    public var access: Secret
    /// Without one, the session ends with `access`.
    public var refresh: Secret?
    /// When `access` expires, on the server's clock as far as it is known.
    public var expiresAt: Date
    /// When `access` was received, on the clock of `expiresAt`; the difference is its lifetime. `nil` when unknown.
    public var issuedAt: Date?
    /// Seconds by which that clock was ahead of this machine's when the tokens were stored; `nil` when unknown.
    public var clockOffset: TimeInterval?
    /// The account of the tokens; `nil` in a store that has tokens only.
    public var account: SessionAccount?

    /// The tokens of a session; what the server did not say is `nil`.
    public init(
        access: Secret, refresh: Secret? = nil, expiresAt: Date, issuedAt: Date? = nil,
        clockOffset: TimeInterval? = nil,
        account: SessionAccount? = nil
    ) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.clockOffset = clockOffset
        self.account = account
    }
}

extension SessionTokens {
    /// Seconds by which the server's clock is ahead of this machine's at `now`, on this machine's clock.
    ///
    /// - Returns: `nil` when unknown, also when the clock was set after the tokens were stored. A returned offset
    ///   never makes the server's time too early.
    public func clockOffset(at now: Date) -> TimeInterval? {
        guard let clockOffset, let issuedAt else { return nil }
        let passed = now.timeIntervalSince(issuedAt.addingTimeInterval(-clockOffset))
        // Set back since then.
        guard passed >= 0 else { return nil }
        // Set forward by what it was behind.
        return clockOffset > Self.drift && passed >= clockOffset ? nil : clockOffset
    }

    /// A smaller change of the clock counts as drift, not as a clock that was set.
    private static let drift: TimeInterval = 300
}
