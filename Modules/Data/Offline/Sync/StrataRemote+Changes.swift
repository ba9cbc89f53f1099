import StrataDomain

extension StrataRemote {
    func changeCount() async throws(DomainError) -> Int? {
        guard let cursor = try await storedCursor() else { return nil }
        do {
            let page = PullChanges(cursor: cursor, limit: 1000, collections: wantedCollections)
            return try await client.send(page).changes.count
        } catch {
            if Self.asksForReplacement(error) { return nil }
            throw DomainError(error)
        }
    }

    func hasChanges(within seconds: Int) async throws(DomainError) -> Bool {
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
