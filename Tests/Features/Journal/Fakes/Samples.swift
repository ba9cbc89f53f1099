import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataOffline
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

extension JournalEntry {
    /// A new entry as a client sends it.
    func draft(_ id: String? = nil) throws -> EntityDraft<JournalEntry> {
        EntityDraft(try wireFields(), id: id.map { JournalEntry.ID($0) })
    }
}

extension OfflineEntityRepository<JournalEntry> {
    /// One that is not synchronised by its reads.
    static func local(
        _ store: OfflineStore, _ clock: any WallClock = SystemWallClock(), random: RandomSource = RandomSource()
    ) -> Self {
        .init(store, command: "shiftlog journal", sync: {}, clock: clock, random: random)
    }

    /// Changes some fields.
    func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws {
        let entry = try await get(id, .cacheFirst).value
        _ = try await update(id, to: entry.content.changing(changes), basedOn: entry.version)
    }
}
