import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// A journal in memory that keeps the promises of the port.
final class FakeJournalRepository: JournalRepository {
    struct State {
        /// In the order in which they were added.
        var items: [JournalItem] = []
        /// Sizes of the batches that were added, in order.
        var batches: [Int] = []
        /// The state of what is written from now on.
        var writes = JournalItem.State.queued
        /// Thrown by every call.
        var failure: DomainError?
        /// Drafts that fit. A batch that does not fit is refused as on a full disk.
        var room = Int.max
        /// Runs in each list, after its answer is settled.
        var duringRead: @Sendable () async -> Void = {}
        fileprivate var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        fileprivate var number = 0

        fileprivate mutating func next() -> Int {
            number += 1
            return number
        }
    }

    private let state: Mutex<State>
    private let clock: any WallClock

    init(_ items: [JournalItem] = [], clock: any WallClock = ManualWallClock(.noon)) {
        state = Mutex(State(items: items))
        self.clock = clock
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    /// Puts an item as the sync engine does.
    func put(_ item: JournalItem) {
        change { state in
            state.items.removeAll { $0.id == item.id }
            state.items.append(item)
        }
        tell()
    }

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
            ($1.entry.occurredAt, $1.id.rawValue) < ($0.entry.occurredAt, $0.id.rawValue)
        }
        return Array(sorted.prefix(filter.limit ?? .max))
    }

    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        var all = filter
        all.limit = nil
        return min(atMost, try await entries(all).count)
    }

    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try checked().items.map(\.id).filter { $0.rawValue.hasPrefix(part) || $0.rawValue.hasSuffix(part) }
    }

    func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem {
        guard let item = try checked().items.first(where: { $0.id == id }) else {
            throw .notFound("There is no journal entry '\(id)'.")
        }
        return item
    }

    func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry] {
        let now = clock.now
        for draft in drafts { _ = try draft.validated(at: now) }
        _ = try checked()
        let added = state.withLock { state -> [JournalEntry]? in
            guard state.room >= drafts.count else { return nil }
            state.room -= drafts.count
            state.batches.append(drafts.count)
            return drafts.compactMap { Self.add($0, at: now, to: &state) }
        }
        guard let added else { throw .storage("The disk is full.") }
        tell()
        return added
    }

    private static func add(_ draft: JournalDraft, at now: Date, to state: inout State) -> JournalEntry? {
        let id = draft.id ?? JournalEntry.ID("e\(state.next())")
        guard !state.items.contains(where: { $0.id == id }) else { return nil }
        let entry = JournalEntry(
            id: id, host: draft.host, severity: draft.severity, text: draft.text, occurredAt: draft.occurredAt,
            runbookId: draft.runbookId, updatedAt: now)
        state.items.append(JournalItem(entry: entry, state: state.writes))
        return entry
    }

    func update(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry {
        var item = try await entry(id)
        item.entry.host = edit.host ?? item.entry.host
        item.entry.severity = edit.severity ?? item.entry.severity
        item.entry.text = edit.text ?? item.entry.text
        item.entry.occurredAt = edit.occurredAt ?? item.entry.occurredAt
        item.entry.runbookId = edit.runbookId ?? item.entry.runbookId
        item.entry.updatedAt = clock.now
        item.state = current.writes
        put(item)
        return item.entry
    }

    func delete(_ id: JournalEntry.ID) async throws(DomainError) {
        _ = try await entry(id)
        change { $0.items.removeAll { $0.id == id } }
        tell()
    }

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state in
            let number = state.next()
            state.watchers[number] = continuation
            return number
        }
        continuation.onTermination = { [weak self] _ in self?.change { $0.watchers[number] = nil } }
        return stream
    }

    private func tell() {
        for watcher in current.watchers.values { watcher.yield() }
    }

    private func checked() throws(DomainError) -> State {
        let now = current
        if let failure = now.failure { throw failure }
        return now
    }
}
