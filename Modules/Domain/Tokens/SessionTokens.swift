public import FoundationEssentials

/// The tokens of one session.
public struct SessionTokens: Sendable, Hashable {
    public var access: Secret
    public var refresh: Secret
    /// When `access` expires, on the server's clock as far as it is known.
    public var expiresAt: Date
    /// When `access` was received, on the clock of `expiresAt`; tells how long it lives. `nil` when unknown.
    public var issuedAt: Date?

    public init(access: Secret, refresh: Secret, expiresAt: Date, issuedAt: Date? = nil) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
    }
}
