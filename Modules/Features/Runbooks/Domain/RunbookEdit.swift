/// The changed fields of a runbook; `nil` leaves a field unchanged.
package struct RunbookEdit: Sendable, Hashable {
    package var title: String?
    package var body: String?
    package var tags: [String]?

    package init(title: String? = nil, body: String? = nil, tags: [String]? = nil) {
        self.title = title
        self.body = body
        self.tags = tags
    }

    package var isEmpty: Bool { self == RunbookEdit() }

    /// The content of `runbook` after the edit.
    package func draft(for runbook: Runbook) -> RunbookDraft {
        RunbookDraft(title: title ?? runbook.title, body: body ?? runbook.body, tags: tags ?? runbook.tags)
    }
}
