import GRDB
public import StrataDomain

extension SyncEngine {
    /// The number of rows that are newer at the server. Stores nothing.
    ///
    /// - Returns: At most 1000, which means 1000 or more; `nil` for all rows, before the first run or after the
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

    /// Whether a row is newer at the server. The server may hold the request until one is.
    ///
    /// Stores nothing and holds no lease, so other processes can synchronise.
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
