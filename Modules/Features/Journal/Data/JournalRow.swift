package import FoundationEssentials
import GRDB
import JournalAPI
import JournalDomain
import StrataDomain
package import StrataOffline

/// A journal entry as it is kept on this machine.
package struct JournalRow: OfflineRow {
    package static let collectionName = JournalEntryPayload.collection
    package static let databaseTableName = "journal_entry"
    package static let migrations = [
        OfflineMigration(
            "1",
            """
            CREATE TABLE journal_entry (
                id TEXT PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
                occurred_at INTEGER NOT NULL, runbook_id TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL);
            CREATE INDEX journal_entry_newest ON journal_entry (occurred_at DESC, id DESC);
            """)
    ]

    package static let columns: [OfflineColumn]? = [
        OfflineColumn("host", .text), OfflineColumn("severity", .choice(Severity.allCases.map(\.rawValue))),
        OfflineColumn("text", .text), OfflineColumn("occurred_at", .time),
        OfflineColumn("runbook_id", .text, isOptional: true), OfflineColumn("version", .version),
        OfflineColumn("updated_at", .updatedAt),
    ]

    package var id: String
    package var host: String
    package var severity: String
    package var text: String
    package var occurredAt: Date
    package var runbookId: String?
    package var version: Int
    package var updatedAt: Date

    package enum CodingKeys: String, CodingKey {
        case id, host, severity, text, version
        case occurredAt = "occurred_at"
        case runbookId = "runbook_id"
        case updatedAt = "updated_at"
    }

    package init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        host = try fields.string("host")
        // A severity of a later version is not shown as something else.
        severity = try fields.required("severity", "info, warning or critical") { value in
            value.string.flatMap(Severity.init(rawValue:))?.rawValue
        }
        text = try fields.string("text")
        occurredAt = try fields.time("occurred_at")
        runbookId = try fields.optionalString("runbook_id")
        version = stamp.version
        updatedAt = stamp.updatedAt
    }

    var entry: JournalEntry {
        JournalEntry(
            id: JournalEntry.ID(id), host: host, severity: Severity(rawValue: severity) ?? .info, text: text,
            occurredAt: occurredAt, runbookId: runbookId, version: version, updatedAt: updatedAt)
    }
}

extension JournalDraft {
    /// The fields of a create, as `JournalDraftPayload` encodes them; an import makes thousands.
    var wireFields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "host": .string(host), "severity": .string(severity.rawValue), "text": .string(text),
            "occurred_at": .string(RFC3339.string(from: occurredAt)),
        ]
        if let runbookId { fields["runbook_id"] = .string(runbookId) }
        return fields
    }
}
