package import StrataDomain

/// The operations on runbooks.
package struct Runbooks: Sendable {
    private let repository: any RunbookRepository

    package init(_ repository: any RunbookRepository) { self.repository = repository }

    /// Matching runbooks by title, then id, with their origin.
    ///
    /// - Throws: `.unavailable` when the server cannot be reached and no list is stored.
    package func list(
        _ filter: RunbookFilter = RunbookFilter(), policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        try await repository.runbooks(filter, policy)
    }

    /// The list now, and again after each background refresh that changed it.
    package func updates(_ filter: RunbookFilter = RunbookFilter()) -> AsyncStream<Snapshot<[Runbook]>> {
        repository.updates(filter)
    }

    /// - Throws: `.notFound`; `.unavailable` when the server cannot be reached and the runbook is not stored.
    package func get(
        _ id: Runbook.ID, policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<Runbook> {
        try await repository.runbook(id, policy)
    }

    /// - Throws: `.validation` naming each field, before the request is sent.
    package func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook {
        try await repository.create(draft.validated())
    }

    /// Updates a runbook based on the version last shown here. One that was never shown is fetched first.
    ///
    /// - Throws: `.validation` naming each field, before the request is sent; `.conflict` when the runbook has changed since it
    ///   was shown; `.notFound`.
    package func update(_ id: Runbook.ID, _ edit: RunbookEdit) async throws(DomainError) -> Runbook {
        guard !edit.isEmpty else { throw .validation("The edit changes nothing; give a title, a body or tags.") }
        let base = try await base(of: id)
        return try await repository.update(id, to: edit.draft(for: base).validated(), basedOn: base.version)
    }

    /// Deletes a runbook based on the version last shown here.
    ///
    /// - Throws: `.conflict` when the runbook has changed since it was shown; `.notFound`.
    package func delete(_ id: Runbook.ID) async throws(DomainError) {
        try await repository.delete(id, basedOn: base(of: id).version)
    }

    /// The base of a write: the runbook as last shown, or else as the server has it.
    private func base(of id: Runbook.ID) async throws(DomainError) -> Runbook {
        if let shown = await repository.lastShown(id) { return shown }
        return try await repository.runbook(id, .refresh).value
    }
}
