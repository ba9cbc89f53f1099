package import StrataDomain

/// Deletes a runbook, unless somebody changed it since it was last shown here.
package struct RetireRunbook: Sendable {
    private let repository: any RunbookRepository
    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// - Throws: `.conflict` when somebody changed the runbook since it was shown; `.notFound`.
    package func callAsFunction(_ id: Runbook.ID) async throws(DomainError) {
        try await repository.delete(id, basedOn: repository.editBase(id).version)
    }
}
