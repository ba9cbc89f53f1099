package import StrataDomain

/// Changes fields of an entry.
package struct EditEntry: Sendable {
    private let repository: any JournalRepository
    package init(_ repository: any JournalRepository) { self.repository = repository }

    /// - Throws: `.validation` naming each field, or that nothing is changed; `.notFound`.
    package func callAsFunction(
        _ id: JournalEntry.ID, _ edit: JournalEdit
    ) async throws(DomainError) -> JournalEntry {
        try await repository.edit(id, edit.validated())
    }
}
