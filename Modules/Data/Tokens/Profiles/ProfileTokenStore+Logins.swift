public import StrataDomain

extension ProfileTokenStore {
    /// Watches for logins of the user of `account` until the task is cancelled. A process learns of a login of another
    /// process by reading the stored session again.
    ///
    /// - Parameters:
    ///   - interval: Time between two reads. Default: 1 s.
    ///   - onLogin: Called after each later login.
    /// - Throws: `.conflict` when another user has logged in, `.storage` when the session cannot be read.
    public func watchLogins(
        of account: SessionAccount, every interval: Duration = .seconds(1),
        on clock: any Clock<Duration> = ContinuousClock(), onLogin: @Sendable () -> Void
    ) async throws(DomainError) {
        var known = account
        while (try? await clock.sleep(for: interval)) != nil {
            guard let now = try await storedAccount(), now != known else { continue }
            known = now
            guard account.isSamePerson(as: now) else {
                throw .conflict(
                    "The login of this profile has changed to '\(now.username)' at \(now.server); start this again.")
            }
            onLogin()
        }
    }

    /// - Returns: `nil` without a login.
    private func storedAccount() async throws(DomainError) -> SessionAccount? {
        do throws(TokenStoreError) { return try await session()?.account } catch { throw .storage(error.description) }
    }
}
