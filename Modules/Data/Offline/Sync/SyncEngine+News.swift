import GRDB
import StrataDomain

extension SyncEngine {
    /// Whether the server has something this store has not, asked with a request that the server may hold.
    ///
    /// Nothing is stored and no lease is held meanwhile, so that other processes can synchronise.
    func hasNews(within seconds: Int) async throws(DomainError) -> Bool {
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
