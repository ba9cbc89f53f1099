package import StrataDomain

/// Shows one runbook.
package struct ReadRunbook: Sendable {
    private let repository: any RunbookRepository
    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// - Throws: `.notFound`; `.unavailable` when the server cannot be reached and nothing is kept.
    package func callAsFunction(
        _ id: Runbook.ID, policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<Runbook> {
        try await repository.runbook(id, policy)
    }
}
