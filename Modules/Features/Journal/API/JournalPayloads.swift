package import FoundationEssentials
package import JournalDomain
package import StrataDomain

/// A journal entry on the wire. `runbook_id` is left out when there is none.
package struct JournalEntryPayload: Codable, Sendable, Hashable, EntityTagged {
    /// Name of the synchronised collection.
    package static let collection = "journal_entries"

    package var id: JournalEntry.ID
    package var host: String
    package var severity: Severity
    package var text: String
    package var occurredAt: Date
    package var runbookId: String?
    package var version: Int
    package var updatedAt: Date

    package var entityTag: EntityTag { EntityTag(version: version) }

    package init(_ entry: JournalEntry) {
        id = entry.id
        host = entry.host
        severity = entry.severity
        text = entry.text
        occurredAt = entry.occurredAt
        runbookId = entry.runbookId
        version = entry.version
        updatedAt = entry.updatedAt
    }

    package var entry: JournalEntry {
        JournalEntry(
            id: id, host: host, severity: severity, text: text, occurredAt: occurredAt, runbookId: runbookId,
            version: version, updatedAt: updatedAt)
    }
}

/// The fields of a new entry; also the `fields` of a create mutation. `occurred_at` defaults to the time of arrival, and lies at
/// most a day ahead of it.
package struct JournalDraftPayload: Codable, Sendable, Hashable {
    /// Chosen by the sender to make the create repeatable; else the server makes one.
    package var id: JournalEntry.ID?
    /// Default with a host token: its host, and no other is accepted. A user names one.
    package var host: String?
    /// Default: `info`.
    package var severity: Severity?
    package var text: String
    package var occurredAt: Date?
    package var runbookId: String?

    package init(_ draft: JournalDraft) {
        id = draft.id
        host = draft.host
        severity = draft.severity
        text = draft.text
        occurredAt = draft.occurredAt
        runbookId = draft.runbookId
    }

    /// - Parameter host: The machine it is about, in place of the field.
    package func draft(host: String, now: Date) -> JournalDraft {
        JournalDraft(
            id: id, host: host, severity: severity ?? .info, text: text, occurredAt: occurredAt ?? now,
            runbookId: runbookId)
    }
}

/// The fields an edit changes; also the `fields` of a patch mutation. An absent field stays as it is.
package struct JournalEditPayload: Codable, Sendable, Hashable {
    package var host: String?
    package var severity: Severity?
    package var text: String?
    package var occurredAt: Date?
    package var runbookId: String?

    package init(_ edit: JournalEdit) {
        host = edit.host
        severity = edit.severity
        text = edit.text
        occurredAt = edit.occurredAt
        runbookId = edit.runbookId
    }

    package var edit: JournalEdit {
        JournalEdit(host: host, severity: severity, text: text, occurredAt: occurredAt, runbookId: runbookId)
    }
}
