import RunbooksAPI
package import RunbooksDomain
package import StrataCaching
package import StrataDomain

/// Runbooks from the server through a cache: stored copies are returned at once, refreshed in the background, and available
/// during an outage.
///
/// It stores one full list and filters it here.
package struct CachedRunbookRepository: RunbookRepository {
    let client: any APIClient
    let reader: CachedReader
    let keys: RunbookKeys
    let clock: any WallClock

    /// - Parameters:
    ///   - reader: The only reader of its cache in this process.
    ///   - principal: User and server; copies of one are never shown to another.
    package init(
        client: any APIClient, reader: CachedReader, principal: String, clock: any WallClock = SystemWallClock()
    ) {
        self.client = client
        self.reader = reader
        keys = RunbookKeys(principal: principal)
        self.clock = clock
    }

    package func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        let list = try await list(policy)
        return list.with(filter.runbooks(in: list.value))
    }

    package func runbook(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Runbook> {
        let snapshot = try await item(id, policy)
        let runbook = snapshot.value.runbook
        await remember(snapshot.value)
        return snapshot.with(runbook)
    }

    package func lastShown(_ id: Runbook.ID) async -> Runbook? { await shown(id)?.value.runbook }

    package func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                // The subscription precedes the first read, so that no refresh is missed.
                let updates = reader.updates([RunbookPayload].self, for: keys.list)
                var last: [Runbook]?
                if let now = try? await runbooks(filter, .cacheFirst) {
                    last = now.value
                    continuation.yield(now)
                }
                for await update in updates {
                    let runbooks = filter.runbooks(in: update.value)
                    guard runbooks != last else { continue }
                    last = runbooks
                    continuation.yield(update.with(runbooks))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension RunbookFilter {
    /// The matching runbooks of `payloads`, in their order.
    fileprivate func runbooks(in payloads: [RunbookPayload]) -> [Runbook] {
        payloads.lazy.map(\.runbook).filter(matches)
    }
}
