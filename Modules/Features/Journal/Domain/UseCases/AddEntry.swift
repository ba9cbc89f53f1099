package import StrataDomain

/// Adds one line to the journal.
package struct AddEntry: Sendable {
    private let repository: any JournalRepository
    private let clock: any WallClock

    package init(_ repository: any JournalRepository, clock: any WallClock = SystemWallClock()) {
        self.repository = repository
        self.clock = clock
    }

    /// The stored entry. A draft with an id that is known already answers with the entry that has it.
    ///
    /// - Throws: `.validation` naming each field.
    package func callAsFunction(_ draft: JournalDraft) async throws(DomainError) -> JournalEntry {
        let draft = try draft.validated(at: clock.now)
        if let entry = try await repository.add([draft]).first { return entry }
        guard let id = draft.id else {
            throw .unexpected("The journal kept no entry and gave no reason; repeat the command with -v.")
        }
        return try await repository.entry(id).entry
    }
}
