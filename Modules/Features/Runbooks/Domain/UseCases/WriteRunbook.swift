package import StrataDomain

/// Adds a runbook.
package struct WriteRunbook: Sendable {
    private let repository: any RunbookRepository
    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// - Throws: `.validation` naming each field, before anything is sent.
    package func callAsFunction(_ draft: RunbookDraft) async throws(DomainError) -> Runbook {
        try await repository.create(draft.validated())
    }
}
