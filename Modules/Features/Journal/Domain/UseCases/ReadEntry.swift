package import StrataDomain

/// Shows one entry.
package struct ReadEntry: Sendable {
    private let repository: any JournalRepository
    package init(_ repository: any JournalRepository) { self.repository = repository }

    /// - Throws: `.notFound` for an id that is not stored here.
    package func callAsFunction(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem {
        try await repository.entry(id)
    }
}
