package import FoundationEssentials
package import StrataDomain

/// One line of the on-call journal: what was seen, where and when. `Stored` adds id, version, time, author and sync state.
package struct JournalEntry: Entity {
    package typealias ID = Identifier<JournalEntry>

    package static let noun = "journal entry"
    package static let collection = "journal_entries"
    package static let path = "journal/entries"
    package static let commandName = "journal"
    package static let listOrder: String? = "-occurred_at"
    package static let largestPage = 500
    /// Devices and scripts repeat a create under one id.
    package static let acceptsIDs = true
    package static let recordsAuthor = true
    package static let recordsChanges = true
    /// Lines are corrected in a hurry, from scripts too: `If-Match` is possible and not demanded.
    package static let changesNeedVersion = false
    package static let fields: [EntityField<JournalEntry>] = [
        .init("host", \.host, .word(hostBytes)).filterable.initially { $0.host.map { .string($0) } },
        .init("severity", \.severity).filterable.initially { _ in Severity.info.fieldValue },
        .init("text", \.text, textRule).searchable.read(.argument),
        .init("occurred_at", \.occurredAt).named("occurred", option: "at").lowerBound(as: "since")
            .initially { $0.now.fieldValue },
        .init("runbook_id", \.runbookId, .id).named("runbook", option: "runbook"),
    ]

    /// The machine it is about.
    package var host: String
    package var severity: Severity
    package var text: String
    package var occurredAt: Date
    /// The runbook that was followed.
    package var runbookId: String?

    package init(
        host: String, severity: Severity = .info, text: String, occurredAt: Date, runbookId: String? = nil
    ) {
        self.host = host
        self.severity = severity
        self.text = text
        self.occurredAt = occurredAt
        self.runbookId = runbookId
    }
}

package enum Severity: String, FieldChoice {
    case info, warning, critical
}

// MARK: - Rules

extension JournalEntry {
    package static let textBytes = 1...16_384

    private static let hostBytes = 1...255

    /// Refuses what is no name of a machine.
    package static func check(host: String, into check: inout FieldCheck) {
        check.word("host", host, bytes: hostBytes)
    }

    private static let textRule = FieldRule<String>.lines(textBytes).also { field, text, check in
        if !text.isEmpty, isBlank(text) { check.refuse(field, "must have more than spaces") }
    }

    /// Whether no character of a text is visible (Unicode property White_Space).
    static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// A list has the newest entry on top, where an entry of the year 9999 would stay. A day allows for clocks and time zones
    /// that are wrong. Every past time is valid, because old logs are imported.
    package static let longestAhead: TimeInterval = 24 * 3600

    /// - Parameter now: The time of the server's clock.
    package static func check(occurredAt: Date, at now: Date, into check: inout FieldCheck) {
        if occurredAt > now.addingTimeInterval(longestAhead) {
            check.refuse(
                "occurred_at",
                "must be at most a day ahead of \(RFC3339.string(from: now)); it is \(RFC3339.string(from: occurredAt))"
            )
        }
    }
}
