public import FoundationEssentials

/// The tokens of one session.
public struct SessionTokens: Sendable, Hashable {
    public var access: Secret
    public var refresh: Secret
    /// When `access` expires, on the server's clock as far as it is known.
    public var expiresAt: Date
    /// When `access` was received, on the clock of `expiresAt`; tells how long it lives. `nil` when unknown.
    public var issuedAt: Date?
    /// Seconds by which that clock was ahead of this machine's when the tokens were stored; `nil` when unknown.
    public var clockOffset: TimeInterval?
    /// Whose tokens they are; `nil` where only tokens are kept.
    public var account: SessionAccount?

    public init(
        access: Secret, refresh: Secret, expiresAt: Date, issuedAt: Date? = nil, clockOffset: TimeInterval? = nil,
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
