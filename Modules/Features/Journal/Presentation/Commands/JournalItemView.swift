import FoundationEssentials
import JournalDomain
import StrataDomain

/// A journal entry for programs: named as on the wire, with what is still to be settled about it.
struct JournalItemView: Encodable {
    var id: String
    var host: String
    var severity: Severity
    var text: String
    var occurredAt: Date
    var runbookId: String?
    var version: Int
    var updatedAt: Date
    var state: JournalItem.State
    /// Whether it still waits to be sent.
    var queued: Bool

    init(_ item: JournalItem) {
        id = item.id.rawValue
        host = item.entry.host
        severity = item.entry.severity
        text = item.entry.text
        occurredAt = item.entry.occurredAt
        runbookId = item.entry.runbookId
        version = item.entry.version
        updatedAt = item.entry.updatedAt
        state = item.state
        queued = item.state == .queued
    }
}
