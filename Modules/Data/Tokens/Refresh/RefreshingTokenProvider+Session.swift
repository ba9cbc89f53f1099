import Logging
public import StrataDomain

/// Login, logout, and the end of a session by the server.
extension RefreshingTokenProvider {
    /// Stores the tokens of a new login in place of the stored ones.
    public func install(_ tokens: SessionTokens) async throws(TokenStoreError) {
        begin(with: nil)
        do { try await startSession { tokens } } catch {
            throw error as? TokenStoreError ?? TokenStoreError("The tokens were not stored: \(error).")
        }
    }

    /// Stores the tokens that `signIn` gets from the server in place of the stored ones.
    ///
    /// Space for them is reserved before `signIn` runs, and both happen under the lock of the store. So the store holds the old
    /// session or the new one, whatever fails and whenever the process ends.
    ///
    /// - Parameter discard: Gets tokens that could not be stored, to end their session at the server.
    /// - Returns: The session that was replaced, to end it at the server; `nil` when there was none that could be read.
    /// - Throws: `TokenStoreError`, and the errors of `signIn`.
    @discardableResult
    public func startSession(
        _ signIn: @Sendable () async throws -> SessionTokens,
        discard: @Sendable (SessionTokens) async -> Void = { _ in }
    ) async throws -> SessionTokens? {
        let (replaced, stored) = try await store.withLock { [store] in
            let replaced = try? await store.read()
            try await store.reserve()
            let tokens = await stamped(try await signIn())
            do { try await store.write(tokens) } catch {
                await discard(tokens)
                throw error
            }
            return (replaced, tokens)
        }
        begin(with: stored)
        return replaced
    }

    /// Removes the session from memory and from the store, also when the store is damaged or its lock cannot be taken.
    ///
    /// - Returns: The tokens that were stored, so that the caller can revoke them at the server.
    @discardableResult
    public func logout() async throws(TokenStoreError) -> SessionTokens? {
        let held = tokens
        begin(with: nil)
        var removed: SessionTokens?
        do {
            removed = try await store.withLock { [store] in
                let stored = try? await store.read()
                try await store.clear()
                return stored
            }
        } catch {
            try await store.clear()
        }
        // Again: another task may have read the old tokens during the wait for the lock.
        begin(with: nil)
        return removed ?? held
    }

    public func endSession() async {
        let held = tokens
        begin(with: nil)
        let ended: Bool
        do {
            ended = try await store.withLock { [store] in
                guard let stored = try await store.read(), held.map(stored.isSameSession) ?? true else {
                    return false
                }
                try await store.clear()
                return true
            }
        } catch {
            logger.warning("the ended session could not be removed", metadata: ["reason": "\(error)"])
            ended = held != nil
        }
        begin(with: nil)
        if ended { reportEnd() }
    }
}
