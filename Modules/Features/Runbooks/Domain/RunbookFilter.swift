/// Selects runbooks; without values, all.
package struct RunbookFilter: Sendable, Hashable {
    package var tag: String?
    /// Text in title or body, ignoring case.
    package var text: String?

    package init(tag: String? = nil, text: String? = nil) {
        self.tag = tag
        self.text = text
    }

    package func matches(_ runbook: Runbook) -> Bool {
        if let tag, !runbook.tags.contains(tag) { return false }
        guard let text, !text.isEmpty else { return true }
        let folded = text.lowercased()
        return runbook.title.lowercased().contains(folded) || runbook.body.lowercased().contains(folded)
    }
}
