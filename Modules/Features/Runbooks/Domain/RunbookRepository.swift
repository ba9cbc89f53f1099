package import StrataDomain

/// The source of runbooks.
package protocol RunbookRepository: Sendable {
    /// All matching runbooks by title, then id.
    ///
    /// - Throws: `.unavailable` when the server cannot be reached and no copy is stored.
    func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]>

    /// - Throws: `.notFound`; `.unavailable` when the server cannot be reached and no copy is stored.
    func runbook(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Runbook>

    func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook

    /// - Parameter version: The base version of the update.
    /// - Throws: `.conflict` when the runbook has another version.
    func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int
    ) async throws(DomainError) -> Runbook

    /// - Throws: `.conflict` when the runbook has another version.
    func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError)

    /// The runbook as last shown here, the base of an update. Default: the stored copy.
    func lastShown(_ id: Runbook.ID) async -> Runbook?

    /// The list of `filter` now, and again after each background refresh that changed it.
    func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>>
}

extension RunbookRepository {
    package func lastShown(_ id: Runbook.ID) async -> Runbook? { try? await runbook(id, .cacheOnly).value }
}
