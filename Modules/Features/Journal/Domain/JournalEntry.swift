package import FoundationEssentials
package import StrataDomain

/// One line of the on-call journal: what was seen, where and when.
package struct JournalEntry: Sendable, Hashable, Identifiable {
    package typealias ID = Identifier<JournalEntry>

    package var id: ID
    /// The machine it is about.
    package var host: String
    package var severity: Severity
    package var text: String
    package var occurredAt: Date
    /// The runbook that was followed, if any.
    package var runbookId: String?
    /// The server's version of the row; 0 while it is known here only.
    package var version: Int
    package var updatedAt: Date

    package init(
        id: ID, host: String, severity: Severity, text: String, occurredAt: Date, runbookId: String? = nil,
        version: Int = 0, updatedAt: Date
    ) {
        self.id = id
        self.host = host
        self.severity = severity
        self.text = text
        self.occurredAt = occurredAt
        self.runbookId = runbookId
        self.version = version
        self.updatedAt = updatedAt
    }
}

package enum Severity: String, Sendable, Hashable, CaseIterable, Codable, ParameterValue, MultipleParameter {
    case info, warning, critical
}
