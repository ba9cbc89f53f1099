package import StrataDomain

/// Where runbooks come from.
package protocol RunbookRepository: Sendable {
    /// All matching runbooks by title, then id.
    ///
    /// - Throws: `.unavailable` when the server cannot be reached and nothing is kept.
    func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]>

    /// - Throws: `.notFound`; `.unavailable` when the server cannot be reached and nothing is kept.
    func runbook(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Runbook>

    func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook

    /// - Parameter version: The version the edit is based on.
    /// - Throws: `.conflict` when the runbook is no longer at `version`.
    func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int
    ) async throws(DomainError) -> Runbook

    /// - Throws: `.conflict` when the runbook is no longer at `version`.
    func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError)

    /// The runbook as it was last shown here, whatever happened to it since; what an edit is based on.
    ///
    /// Default: the kept copy.
    func lastShown(_ id: Runbook.ID) async -> Runbook?

    /// The list of `filter` now, and again whenever a refresh behind brought another one.
    func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>>
}

extension RunbookRepository {
    package func lastShown(_ id: Runbook.ID) async -> Runbook? { try? await runbook(id, .cacheOnly).value }
}
