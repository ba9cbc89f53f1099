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

    /// The list of `filter` now, and again whenever a refresh behind brought another one.
    func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>>
}

package struct RunbookFilter: Sendable, Hashable {
    package var tag: String?
    /// Text that title or body contain, without regard to case.
    package var text: String?

    package init(tag: String? = nil, text: String? = nil) {
        self.tag = tag
        self.text = text
    }
}
