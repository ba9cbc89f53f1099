import FoundationEssentials
import JournalAPI
import JournalDomain
import StrataDomain
import StrataTesting

extension Date {
    /// 2026-01-01T10:00:00Z.
    static let newYear = Date(timeIntervalSince1970: 1_767_261_600)

    init(_ text: String) throws {
        struct NoTime: Error {}
        guard let date = RFC3339.date(from: text) else { throw NoTime() }
        self = date
    }
}

extension Stored<JournalEntry> {
    static func sample(
        _ id: String = "e1", host: String = "web1", severity: Severity = .info, text: String = "Disk full",
        at date: Date = .noon, runbookId: String? = nil, state: SyncState = .synced
    ) -> Stored {
        Stored(
            id: JournalEntry.ID(id),
            JournalEntry(host: host, severity: severity, text: text, occurredAt: date, runbookId: runbookId),
            version: 4, updatedAt: .noon, syncState: state)
    }
}

extension JournalDraft {
    init(
        id: JournalEntry.ID? = nil, host: String, severity: Severity = .info, text: String, occurredAt: Date,
        runbookId: String? = nil
    ) {
        self.init(
            id: id,
            JournalEntry(host: host, severity: severity, text: text, occurredAt: occurredAt, runbookId: runbookId))
    }
}

extension JournalFilter {
    init(
        since: Date? = nil, host: String? = nil, severity: Severity? = nil, search: String? = nil, limit: Int? = nil
    ) {
        self.init([:], search: search, since: since, limit: limit)
        if let host { fields["host"] = .string(host) }
        if let severity { fields["severity"] = severity.fieldValue }
    }
}

extension CreateJournalEntry {
    init(_ draft: JournalDraft) throws {
        self.init(try draft.entry.wireFields())
        if let id = draft.id { fields["id"] = .string(id.rawValue) }
    }
}

/// Names lines by a small digest (FNV-1a), which is enough for the lines of a test.
struct SmallDigest: LineIdentity {
    func id(for bytes: [UInt8]) -> String {
        let digest = bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return "line-" + String(digest, radix: 16)
    }
}
