package import StrataDomain

/// Lists the entries that match, newest first.
package struct BrowseJournal: Sendable {
    private let repository: any JournalRepository
    package init(_ repository: any JournalRepository) { self.repository = repository }

    /// - Throws: `.validation` for a limit below 1.
    package func callAsFunction(
        _ filter: JournalFilter = JournalFilter()
    ) async throws(DomainError) -> [JournalItem] {
        try Self.check(filter)
        return try await repository.entries(filter)
    }

    /// Hands every matching entry to `update`, newest first: there may be more than fit into memory.
    ///
    /// - Throws: `.validation` for a limit below 1.
    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result {
        try Self.check(filter)
        return try await repository.reduce(filter, into: initial, update)
    }

    private static func check(_ filter: JournalFilter) throws(DomainError) {
        if let limit = filter.limit, limit < 1 { throw .validation("The limit must be 1 or more; it is \(limit).") }
    }

    /// How many entries match, whatever the filter's limit; counting ends at `atMost`.
    package func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        try await repository.count(filter, atMost: atMost)
    }

    /// Ids that end or begin with `part`; several, not necessarily all, when it is not exact.
    package func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try await repository.ids(with: part)
    }

    /// One element now and one whenever a stored entry changed.
    package func changes() -> AsyncStream<Void> { repository.changes() }
}
