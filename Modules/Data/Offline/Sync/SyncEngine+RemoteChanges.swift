import GRDB
public import StrataDomain

extension SyncEngine {
    /// How many rows the server has that this store has not, asked without storing anything.
    ///
    /// - Returns: At most 1000, which stands for that many or more; `nil` for everything, before the first run or after the
    ///   server's data was replaced.
    /// - Throws: What `sync` throws.
    public func remoteChangeCount() async throws(DomainError) -> Int? {
        guard let cursor = try await storedCursor() else { return nil }
        do {
            let page = PullChanges(cursor: cursor, limit: 1000, collections: wantedCollections)
            return try await client.send(page).changes.count
        } catch {
            if Self.asksForReplacement(error) { return nil }
            throw DomainError(error)
        }
    }

    /// Whether the server has something this store has not, asked with a request that the server may hold.
    ///
    /// Nothing is stored and no lease is held meanwhile, so that other processes can synchronise.
    func hasRemoteChanges(within seconds: Int) async throws(DomainError) -> Bool {
        guard let cursor = try await storedCursor() else { return true }
        let patience = Duration.seconds(seconds + 15)
        do {
            let page = try await client.send(
                PullChanges(cursor: cursor, limit: 1, wait: seconds, collections: wantedCollections),
                options: CallOptions(deadline: patience, attemptTimeout: patience))
            return !page.changes.isEmpty || page.hasMore
        } catch {
            if Self.asksForReplacement(error) { return true }
            throw DomainError(error)
        }
    }
}
