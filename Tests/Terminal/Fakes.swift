import StrataConcurrency
import StrataDomain
import StrataTerminal

/// A sync engine with scripted results, in order; the last one repeats.
final class FakeSync: SyncService {
    private struct State {
        var answers: [Result<SyncReport, DomainError>]
        var rounds = 0
        var status = SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: nil)
    }

    private let state: Mutex<State>

    init(_ answers: Result<SyncReport, DomainError>...) {
        state = Mutex(State(answers: answers.isEmpty ? [.success(SyncReport())] : answers))
    }

    var rounds: Int { state.withLock(\.rounds) }
    func set(_ status: SyncStatus) { state.withLock { $0.status = status } }

    func sync() async throws(DomainError) -> SyncReport {
        let answer = state.withLock { state in
            state.rounds += 1
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        return try answer.get()
    }

    func status() async throws(DomainError) -> SyncStatus { state.withLock(\.status) }
}

/// An outbox in memory.
final class FakeOutbox: Outbox {
    private let content: Mutex<[OutboxEntry]>
    init(_ entries: [OutboxEntry] = []) { content = Mutex(entries) }

    func entries(after position: Int, limit: Int) async throws(DomainError) -> [OutboxEntry] {
        content.withLock { Array($0.filter { $0.mutation.clientSeq > position }.prefix(limit)) }
    }

    func ids(with part: String) async throws(DomainError) -> [Mutation.ID] {
        content.withLock { $0.map(\.id).filter { $0.hasPrefix(part) || $0.hasSuffix(part) } }
    }

    func retry(_ id: Mutation.ID) async throws(DomainError) {
        let isKnown = content.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
            entries[index].state = .pending
            return true
        }
        if !isKnown { throw .notFound("Nothing in the outbox has the id '\(id)'.") }
    }

    func discard(_ id: Mutation.ID) async throws(DomainError) {
        let isKnown = content.withLock { entries in
            defer { entries.removeAll { $0.id == id } }
            return entries.contains { $0.id == id }
        }
        if !isKnown { throw .notFound("Nothing in the outbox has the id '\(id)'.") }
    }
}

/// Open conflicts in memory.
final class FakeConflicts: ConflictInbox {
    private let open: Mutex<[SyncConflict]>
    private let kept = Mutex<[String: SyncConflict.Side]>([:])
    init(_ conflicts: [SyncConflict] = []) { open = Mutex(conflicts) }

    var resolved: [String: SyncConflict.Side] { kept.withLock { $0 } }

    func conflicts() async throws(DomainError) -> [SyncConflict] { open.withLock { $0 } }

    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError) {
        let isOpen = open.withLock { conflicts in
            defer { conflicts.removeAll { $0.id == id } }
            return conflicts.contains { $0.id == id }
        }
        guard isOpen else { throw .notFound("No open conflict has the id '\(id)'.") }
        kept.withLock { $0[id] = side }
    }
}

/// A cache that only counts its calls.
final class FakeCache: CacheMaintenance {
    private let content: Mutex<CacheStats>
    private let expired: Int

    /// - Parameter expired: Of the entries.
    init(_ stats: CacheStats, expired: Int = 0) {
        content = Mutex(stats)
        self.expired = expired
    }

    func stats() async -> CacheStats { content.withLock { $0 } }
    func removeExpired() async { content.withLock { $0.entries -= min($0.entries, expired) } }

    func clear() async throws(DomainError) {
        content.withLock { stats in
            stats.entries = 0
            stats.bytes = 0
        }
    }
}
