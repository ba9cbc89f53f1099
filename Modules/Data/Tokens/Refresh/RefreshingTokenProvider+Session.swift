import Logging
public import StrataDomain

/// Login, logout, and the end the server decides.
extension RefreshingTokenProvider {
    /// Keeps the tokens of a new login, over whatever is stored.
    public func install(_ tokens: SessionTokens) async throws(TokenStoreError) {
        let stamped = stamped(tokens)
        begin(with: nil)
        do {
            try await store.withLock { [store] in try await store.write(stamped) }
        } catch {
            throw error as? TokenStoreError ?? TokenStoreError("The tokens were not stored: \(error).")
        }
        begin(with: stamped)
    }

    /// Forgets the session, here and in the store, also when the store is damaged or its lock cannot be had.
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
        // Once more: somebody may have read the old tokens while the lock was awaited.
        begin(with: nil)
        return removed ?? held
    }

    public func endSession() async {
        let held = tokens
        begin(with: nil)
        let ended: Bool
        do {
            ended = try await store.withLock { [store] in
                guard let stored = try await store.read(), held == nil || stored.refresh == held?.refresh else {
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
