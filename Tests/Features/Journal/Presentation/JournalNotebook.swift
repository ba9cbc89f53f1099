import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting

/// A journal in memory.
final class JournalNotebook: JournalRepository {
    struct State {
        var items: [JournalItem] = []
        /// The state of what is written from now on.
        var writes = JournalItem.State.queued
        /// What every call answers instead.
        var failure: DomainError?
        /// Entries that fit; the next batch after them fails as on a full disk.
        var room = Int.max
        var nextID = 1
        /// Called in each list, after its answer is settled.
        var duringRead: @Sendable () async -> Void = {}
    }

    private let state: Mutex<State>
    private let (stream, changed) = AsyncStream.makeStream(of: Void.self)

    init(_ items: [JournalItem] = []) { state = Mutex(State(items: items)) }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }
    func announceChange() { changed.yield() }
    func announceNoMore() { changed.finish() }

    func entries(_ filter: JournalFilter) async throws(DomainError) -> [JournalItem] {
        let now = current
        await now.duringRead()
        if let failure = now.failure { throw failure }
        let matching = now.items.filter { item in
            (filter.since.map { item.entry.occurredAt >= $0 } ?? true)
                && (filter.host.map { item.entry.host == $0 } ?? true)
                && (filter.severity.map { item.entry.severity == $0 } ?? true)
        }
        let sorted = matching.sorted {
            ($0.entry.occurredAt, $0.id.rawValue) > ($1.entry.occurredAt, $1.id.rawValue)
        }
        return Array(sorted.prefix(filter.limit ?? sorted.count))
    }

    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        var all = filter
        all.limit = nil
        return min(atMost, try await entries(all).count)
    }

    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        current.items.map(\.id)
    }

    func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem {
        guard let item = current.items.first(where: { $0.id == id }) else { throw .notFound("No entry '\(id)'.") }
        return item
    }

    func add(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry] {
        let entries = state.withLock { state -> [JournalEntry]? in
            guard state.room >= drafts.count, state.failure == nil else { return nil }
            state.room -= drafts.count
            return drafts.compactMap { Self.add($0, to: &state) }
        }
        guard let entries else { throw .storage("The journal cannot be written: no space left.") }
        return entries
    }

    private static func add(_ draft: JournalDraft, to state: inout State) -> JournalEntry? {
        let id = draft.id ?? JournalEntry.ID("e\(state.nextID)")
        guard !state.items.contains(where: { $0.id == id }) else { return nil }
        state.nextID += 1
        let entry = JournalEntry(
            id: id, host: draft.host, severity: draft.severity, text: draft.text, occurredAt: draft.occurredAt,
            runbookId: draft.runbookId, updatedAt: .noon)
        state.items.append(JournalItem(entry: entry, state: state.writes))
        return entry
    }

    func edit(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry {
        var entry = try await entry(id).entry
        entry.host = edit.host ?? entry.host
        entry.severity = edit.severity ?? entry.severity
        entry.text = edit.text ?? entry.text
        entry.occurredAt = edit.occurredAt ?? entry.occurredAt
        entry.runbookId = edit.runbookId ?? entry.runbookId
        let edited = entry
        change { state in
            let item = JournalItem(entry: edited, state: state.writes)
            state.items = state.items.map { $0.id == id ? item : $0 }
        }
        return edited
    }

    func remove(_ id: JournalEntry.ID) async throws(DomainError) {
        _ = try await entry(id)
        change { $0.items.removeAll { $0.id == id } }
    }

    func changes() -> AsyncStream<Void> { stream }
}

/// Names lines by a small digest (FNV-1a), which is enough for the lines of a test.
struct SmallDigest: LineIdentity {
    func id(for bytes: [UInt8]) -> String {
        let digest = bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return "line-" + String(digest, radix: 16)
    }
}

extension JournalItem {
    static func sample(
        _ id: String = "e1", host: String = "web1", severity: Severity = .info, text: String = "Disk full",
        at date: Date = .noon, state: State = .synced
    ) -> JournalItem {
        JournalItem(
            entry: JournalEntry(
                id: JournalEntry.ID(id), host: host, severity: severity, text: text, occurredAt: date, version: 4,
                updatedAt: .noon),
            state: state)
    }
}
