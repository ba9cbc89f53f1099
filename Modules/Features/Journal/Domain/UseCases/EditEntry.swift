package import StrataDomain

/// Changes fields of an entry.
package struct EditEntry: Sendable {
    private let repository: any JournalRepository
    private let clock: any WallClock

    package init(_ repository: any JournalRepository, clock: any WallClock = SystemWallClock()) {
        self.repository = repository
        self.clock = clock
    }

    /// - Throws: `.validation` naming each field, or that nothing is changed; `.notFound`.
    package func callAsFunction(
        _ id: JournalEntry.ID, _ edit: JournalEdit
    ) async throws(DomainError) -> JournalEntry {
        try await repository.edit(id, edit.validated(at: clock.now))
    }
}
