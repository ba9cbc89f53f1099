package import StrataDomain

/// Lists the entries that match, newest first.
package struct BrowseJournal: Sendable {
    private let repository: any JournalRepository
    package init(_ repository: any JournalRepository) { self.repository = repository }

    /// - Throws: `.validation` for a limit below 1.
    package func callAsFunction(
        _ filter: JournalFilter = JournalFilter()
    ) async throws(DomainError) -> [JournalItem] {
        if let limit = filter.limit, limit < 1 { throw .validation("The limit must be 1 or more; it is \(limit).") }
        return try await repository.entries(filter)
    }

    /// One element now and one whenever a stored entry changed.
    package func changes() -> AsyncStream<Void> { repository.changes() }
}
