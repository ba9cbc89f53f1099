public import StrataDomain

/// A store limited to one account: the session of any other account is neither read nor removed.
///
/// So a command sends only tokens of the account that it started with.
public struct AccountTokenStore: TokenStore {
    private let base: any TokenStore
    private let account: SessionAccount?
    public let place: String

    /// - Parameters:
    ///   - account: `nil` without a login: then nothing is read, and only tokens that name no account are removed.
    ///   - place: Default: that of `base`.
    public init(_ base: any TokenStore, account: SessionAccount?, place: String? = nil) {
        self.base = base
        self.account = account
        self.place = place ?? base.place
    }

    public var isReadOnly: Bool { base.isReadOnly }

    /// - Returns: `nil` also for tokens whose claims name another user than their account.
    public func read() async throws(TokenStoreError) -> SessionTokens? {
        guard let tokens = try await base.read(), let account, account.isSamePerson(as: tokens.account), isOurs(tokens)
        else { return nil }
        return tokens
    }

    public func reserve() async throws(TokenStoreError) { try await base.reserve() }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) {
        guard isOurs(tokens) else {
            throw TokenStoreError("The server sent tokens of another user, which were not stored; log in again.")
        }
        try await base.write(tokens)
    }

    /// Whether the access token names this account or none.
    private func isOurs(_ tokens: SessionTokens) -> Bool {
        guard let subject = TokenAccount.subject(tokens.access) else { return true }
        return subject == account?.userId
    }

    /// Also clears a damaged store.
    public func clear() async throws(TokenStoreError) {
        if let other = try? await base.read()?.account, !other.isSamePerson(as: account) { return }
        try await base.clear()
    }

    public func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await base.withLock(body)
    }
}
