package import StrataDomain

/// Lists the runbooks that match.
package struct BrowseRunbooks: Sendable {
    private let repository: any RunbookRepository
    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// Matching runbooks by title, then id, with where they came from.
    ///
    /// - Throws: `.unavailable` when the server cannot be reached and nothing is kept.
    package func callAsFunction(
        _ filter: RunbookFilter = RunbookFilter(), policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        try await repository.runbooks(filter, policy)
    }

    /// The list now, and again whenever a refresh behind brought another one.
    package func updates(_ filter: RunbookFilter = RunbookFilter()) -> AsyncStream<Snapshot<[Runbook]>> {
        repository.updates(filter)
    }
}
