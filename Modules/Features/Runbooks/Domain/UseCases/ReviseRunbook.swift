package import StrataDomain

/// Changes a runbook as it was last shown here, so that nobody's edit is overwritten unseen.
package struct ReviseRunbook: Sendable {
    private let repository: any RunbookRepository
    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// The runbook after the edit. One that was never shown here is read first.
    ///
    /// - Throws: `.validation` naming each field, before anything is sent; `.conflict` when somebody changed the runbook
    ///   since it was shown; `.notFound`.
    package func callAsFunction(_ id: Runbook.ID, _ edit: RunbookEdit) async throws(DomainError) -> Runbook {
        guard !edit.isEmpty else { throw .validation("The edit changes nothing; give a title, a body or tags.") }
        let base = try await repository.editBase(id)
        return try await repository.update(id, to: edit.draft(for: base).validated(), basedOn: base.version)
    }
}

extension RunbookRepository {
    /// What an edit is put on: the runbook as last shown, else as the server has it.
    func editBase(_ id: Runbook.ID) async throws(DomainError) -> Runbook {
        if let shown = await lastShown(id) { return shown }
        return try await runbook(id, .refresh).value
    }
}
