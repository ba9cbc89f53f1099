import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// A journal in memory that keeps the promises of the port.
final class FakeJournalRepository: JournalRepository {
    private struct State {
        var items: [JournalEntry.ID: JournalItem] = [:]
        var batches: [Int] = []
        var failure: DomainError?
        var addsBeforeFailure = 0
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastWatcher = 0
    }

    private let state: Mutex<State>
    private let clock: any WallClock

    init(_ items: [JournalItem] = [], clock: any WallClock = ManualWallClock()) {
        state = Mutex(State(items: Dictionary(items.map { ($0.id, $0) }) { _, last in last }))
        self.clock = clock
    }

    /// Sizes of the batches that were added, in order.
    var batches: [Int] { state.withLock(\.batches) }

    /// Makes every call fail, writes after some more successes.
    func fail(with error: DomainError?, afterAdds adds: Int = 0) {
        state.withLock { state in
            state.failure = error
            state.addsBeforeFailure = adds
        }
    }

    /// Puts an item as the sync engine does.
    func put(_ item: JournalItem) {
        state.withLock { $0.items[item.id] = item }
        tell()
    }

    func entries(_ filter: JournalFilter) async throws(DomainError) -> [JournalItem] {
        let items = try checked { Array($0.items.values) }
        let matching = items.filter { item in
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
        try checked { state in
            state.items.keys.filter { $0.rawValue.hasPrefix(part) || $0.rawValue.hasSuffix(part) }
        }
    }

    func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem {
        let item = try checked { $0.items[id] }
        guard let item else { throw .notFound("There is no journal entry '\(id)'.") }
        return item
    }

    func add(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry] {
        for draft in drafts { _ = try draft.validated(at: clock.now) }
        let now = clock.now
        let added = try checked(isAdd: true) { state in
            state.batches.append(drafts.count)
            var added: [JournalEntry] = []
            for draft in drafts {
                let id = draft.id ?? JournalEntry.ID(UUIDv7.string(at: now))
                guard state.items[id] == nil else { continue }
                let entry = JournalEntry(
                    id: id, host: draft.host, severity: draft.severity, text: draft.text,
                    occurredAt: draft.occurredAt, runbookId: draft.runbookId, updatedAt: now)
                state.items[id] = JournalItem(entry: entry, state: .queued)
                added.append(entry)
            }
            return added
        }
        tell()
        return added
    }

    func edit(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry {
        var item = try await entry(id)
        item.entry.host = edit.host ?? item.entry.host
        item.entry.severity = edit.severity ?? item.entry.severity
        item.entry.text = edit.text ?? item.entry.text
        item.entry.occurredAt = edit.occurredAt ?? item.entry.occurredAt
        item.entry.runbookId = edit.runbookId ?? item.entry.runbookId
        item.entry.updatedAt = clock.now
        item.state = .queued
        put(item)
        return item.entry
    }

    func remove(_ id: JournalEntry.ID) async throws(DomainError) {
        _ = try await entry(id)
        state.withLock { $0.items[id] = nil }
        tell()
    }

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = continuation
            return state.lastWatcher
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
        }
        return stream
    }

    private func tell() {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.yield() }
    }

    private func checked<Result>(
        isAdd: Bool = false, _ body: (inout State) -> Result
    ) throws(DomainError) -> Result where Result: Sendable {
        let result = state.withLock { state -> Swift.Result<Result, DomainError> in
            if let failure = state.failure {
                guard isAdd, state.addsBeforeFailure > 0 else { return .failure(failure) }
                state.addsBeforeFailure -= 1
            }
            return .success(body(&state))
        }
        return try result.get()
    }
}
