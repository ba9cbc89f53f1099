package import StrataDomain

/// Removes an entry.
package struct RemoveEntry: Sendable {
    private let repository: any JournalRepository
    package init(_ repository: any JournalRepository) { self.repository = repository }

    /// - Throws: `.notFound` for an id that is not stored here.
    package func callAsFunction(_ id: JournalEntry.ID) async throws(DomainError) { try await repository.remove(id) }
}
