import JournalDomain
import StrataDomain

/// A journal entry for programs: named as on the wire, with its sync state.
struct JournalItemView: Encodable {
    private let entry: Stored<JournalEntry>

    init(_ entry: Stored<JournalEntry>) { self.entry = entry }

    private enum CodingKeys: String, CodingKey { case state, queued }

    func encode(to encoder: any Encoder) throws {
        var entry = entry
        entry.syncState = .synced
        try entry.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.entry.syncState, forKey: .state)
        try container.encode(self.entry.syncState == .queued, forKey: .queued)
    }
}
