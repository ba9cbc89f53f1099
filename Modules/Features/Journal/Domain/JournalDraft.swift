package import FoundationEssentials
package import StrataDomain

/// A line that is to be added.
package struct JournalDraft: Sendable, Hashable {
    /// Given when the same line must become the same entry however often it is added; else a new id is made.
    package var id: JournalEntry.ID?
    package var host: String
    package var severity: Severity
    package var text: String
    package var occurredAt: Date
    package var runbookId: String?

    package init(
        id: JournalEntry.ID? = nil, host: String, severity: Severity = .info, text: String, occurredAt: Date,
        runbookId: String? = nil
    ) {
        self.id = id
        self.host = host
        self.severity = severity
        self.text = text
        self.occurredAt = occurredAt
        self.runbookId = runbookId
    }

    /// - Parameter now: What the server's clock says; `nil` where that is not known, and the time is left to the server. See
    ///   `JournalRules.check(occurredAt:at:into:)`.
    /// - Throws: `.validation` naming each field.
    package func validated(at now: Date? = nil) throws(DomainError) -> JournalDraft {
        var check = FieldCheck()
        JournalRules.check(host: host, into: &check)
        JournalRules.check(text: text, into: &check)
        if let now { JournalRules.check(occurredAt: occurredAt, at: now, into: &check) }
        if let runbookId { JournalRules.check(runbookId: runbookId, into: &check) }
        try check.orThrow("The journal entry was not accepted.")
        return self
    }
}

/// What an edit changes; `nil` leaves a field as it is.
package struct JournalEdit: Sendable, Hashable {
    package var host: String?
    package var severity: Severity?
    package var text: String?
    package var occurredAt: Date?
    package var runbookId: String?

    package init(
        host: String? = nil, severity: Severity? = nil, text: String? = nil, occurredAt: Date? = nil,
        runbookId: String? = nil
    ) {
        self.host = host
        self.severity = severity
        self.text = text
        self.occurredAt = occurredAt
        self.runbookId = runbookId
    }

    package var isEmpty: Bool { self == JournalEdit() }

    /// - Parameter now: What the server's clock says; `nil` where that is not known, and the time is left to the server. See
    ///   `JournalRules.check(occurredAt:at:into:)`.
    /// - Throws: `.validation` naming each field, or that nothing is changed.
    package func validated(at now: Date? = nil) throws(DomainError) -> JournalEdit {
        var check = FieldCheck()
        if let host { JournalRules.check(host: host, into: &check) }
        if let text { JournalRules.check(text: text, into: &check) }
        if let occurredAt, let now { JournalRules.check(occurredAt: occurredAt, at: now, into: &check) }
        if let runbookId { JournalRules.check(runbookId: runbookId, into: &check) }
        try check.orThrow("The edit was not accepted.")
        guard !isEmpty else { throw .validation("The edit changes nothing; give at least one field.") }
        return self
    }
}

/// The limits of the fields, the same on both sides.
package enum JournalRules {
    package static let textBytes = 1...16_384
    package static let hostBytes = 1...255

    package static func check(host: String, into check: inout FieldCheck) {
        check.word("host", host, bytes: hostBytes)
    }

    package static func check(text: String, into check: inout FieldCheck) {
        check.text("text", text, bytes: textBytes)
        if !text.isEmpty, isBlank(text) { check.refuse("text", "must have more than spaces") }
    }

    /// Lists have the newest entry on top, where one of the year 9999 would stay. A day is for clocks and time zones that are
    /// wrong; the past is free, since old logs are imported.
    package static let longestAhead: TimeInterval = 24 * 3600

    package static func check(occurredAt: Date, at now: Date, into check: inout FieldCheck) {
        if occurredAt > now.addingTimeInterval(longestAhead) {
            check.refuse(
                "occurred_at",
                "must be at most a day ahead of \(RFC3339.string(from: now)); it is \(RFC3339.string(from: occurredAt))"
            )
        }
    }

    /// Whether nothing of a text can be seen (Unicode property White_Space).
    static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    package static func check(runbookId: String, into check: inout FieldCheck) {
        if JournalEntry.ID(parameter: runbookId) == nil {
            check.refuse("runbook_id", "must be \(JournalEntry.ID.parameterKind)")
        }
    }
}
