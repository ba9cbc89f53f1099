import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// A journal in memory that keeps the promises of the port.
final class FakeJournalRepository: JournalRepository {
    struct State {
        /// In the order in which they were added.
        var items: [Stored<JournalEntry>] = []
        /// Sizes of the batches that were added, in order.
        var batches: [Int] = []
        /// The state of what is written from now on.
        var writes = SyncState.queued
        /// Why the last write to each entry waits for a user.
        var obstacle: SyncState?
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

    init(_ items: [Stored<JournalEntry>] = [], clock: any WallClock = ManualWallClock(.noon)) {
        state = Mutex(State(items: items))
        self.clock = clock
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    /// Puts an item as the sync engine does.
    func put(_ item: Stored<JournalEntry>) {
        change { state in
            state.items.removeAll { $0.id == item.id }
            state.items.append(item)
        }
        tell()
    }

    func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, Stored<JournalEntry>) -> Void
    ) async throws(DomainError) -> Result {
        let now = current
        await now.duringRead()
        if let failure = now.failure { throw failure }
        let fields = JournalEntry.fields.filter { filter.fields[$0.name] != nil }
        let matching = now.items.filter { item in
            (filter.since.map { item.occurredAt >= $0 } ?? true)
                && fields.allSatisfy { $0.value(item.content) == filter.fields[$0.name] }
        }
        let found = EntityQuery<JournalEntry>(search: filter.search).entities(of: matching)
        let sorted = found.sorted { ($1.occurredAt, $1.id.rawValue) < ($0.occurredAt, $0.id.rawValue) }
        return sorted.prefix(filter.limit ?? .max).reduce(into: initial, update)
    }

    func obstacle(_ id: JournalEntry.ID) async throws(DomainError) -> SyncState? { current.obstacle }

    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        var all = filter
        all.limit = nil
        return min(atMost, try await entries(all).count)
    }

    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try checked().items.map(\.id).filter { $0.rawValue.hasPrefix(part) || $0.rawValue.hasSuffix(part) }
    }

    func get(
        _ id: JournalEntry.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<JournalEntry>> {
        guard let item = try checked().items.first(where: { $0.id == id }) else {
            throw .notFound("There is no journal entry '\(id)'.")
        }
        return Snapshot(item, .local)
    }

    func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry.ID] {
        let now = clock.now
        for draft in drafts { _ = try draft.entry.validated() }
        _ = try checked()
        let added = state.withLock { state -> [JournalEntry.ID]? in
            guard state.room >= drafts.count else { return nil }
            state.room -= drafts.count
            state.batches.append(drafts.count)
            return drafts.compactMap { Self.add($0, at: now, to: &state) }
        }
        guard let added else { throw .storage("The disk is full.") }
        tell()
        return added
    }

    private static func add(_ draft: JournalDraft, at now: Date, to state: inout State) -> JournalEntry.ID? {
        let id = draft.id ?? JournalEntry.ID("e\(state.next())")
        guard !state.items.contains(where: { $0.id == id }) else { return nil }
        state.items.append(Stored(id: id, draft.entry, version: 0, updatedAt: now, syncState: state.writes))
        return id
    }

    func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws(DomainError) {
        var item = try await get(id, .cacheFirst).value
        item.content = try item.content.changing(changes)
        item.updatedAt = clock.now
        item.syncState = current.writes
        put(item)
    }

    func delete(_ id: JournalEntry.ID, basedOn version: Int) async throws(DomainError) {
        _ = try await get(id, .cacheFirst)
        change { $0.items.removeAll { $0.id == id } }
        tell()
    }

    func changes(of query: EntityQuery<JournalEntry>) -> AsyncStream<Void> {
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
