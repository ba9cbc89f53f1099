import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataService

extension JournalEntry {
    init(_ row: StoreRow) throws {
        let severity = try row.text("severity")
        guard let severity = Severity(rawValue: severity) else {
            throw StoreError.failed("journal_entry.severity is '\(severity)'")
        }
        self.init(
            id: ID(try row.text("id")), host: try row.text("host"), severity: severity, text: try row.text("text"),
            occurredAt: try row.date("occurred_at"), runbookId: try row.textIfAny("runbook_id"),
            version: try row.int("version"), updatedAt: try row.date("updated_at"))
    }

    mutating func apply(_ edit: JournalEdit) {
        host = edit.host ?? host
        severity = edit.severity ?? severity
        text = edit.text ?? text
        occurredAt = edit.occurredAt ?? occurredAt
        runbookId = edit.runbookId ?? runbookId
    }

    /// - Parameter ignoringTime: Set when the server chose the time, which differs on each attempt.
    func isSame(as draft: JournalDraft, ignoringTime: Bool) -> Bool {
        host == draft.host && severity == draft.severity && text == draft.text && runbookId == draft.runbookId
            && (ignoringTime || occurredAt.roundedToMillisecond == draft.occurredAt.roundedToMillisecond)
    }
}
