import FoundationEssentials
import RunbooksDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// Runbooks in memory that keep the promises of the port: one copy is the server's, another what was kept of it.
final class FakeRunbookRepository: RunbookRepository {
    struct State {
        fileprivate(set) var server: [Runbook.ID: Runbook] = [:]
        fileprivate var kept: [Runbook.ID: Runbook]?
        fileprivate var keptAt = Date.noon
        fileprivate var shown: [Runbook.ID: Runbook] = [:]
        /// Why the server does not answer; `nil` when it does.
        var failure: DomainError?
        /// Of the reads so far, in order.
        fileprivate(set) var policies: [ReadPolicy] = []
        /// Runs in each list, after its answer is settled, with the number of the read from 0.
        var duringRead: @Sendable (Int) async -> Void = { _ in }
        fileprivate var made = 0
        fileprivate var watchers: [Int: (RunbookFilter, AsyncStream<Snapshot<[Runbook]>>.Continuation)] = [:]
        fileprivate var lastWatcher = 0
    }

    private let state: Mutex<State>
    private let clock: any WallClock

    init(_ runbooks: [Runbook] = [], clock: any WallClock = ManualWallClock(.noon)) {
        state = Mutex(State(server: Dictionary(runbooks.map { ($0.id, $0) }) { _, last in last }))
        self.clock = clock
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    /// Changes a runbook as another person does.
    func changeElsewhere(_ runbook: Runbook) {
        change { state in
            var runbook = runbook
            runbook.version = (state.server[runbook.id]?.version ?? 0) + 1
            state.server[runbook.id] = runbook
        }
    }

    /// Keeps what the server has, as a read at `date` did.
    func keep(at date: Date) { change { ($0.kept, $0.keptAt) = ($0.server, date) } }

    /// Refreshes in the background: what is kept becomes what the server has.
    func refreshBehind() {
        keep(at: clock.now)
        tell()
    }

    func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        let now = current
        let all = Result { () throws(DomainError) in try read(policy) }
        await now.duringRead(now.policies.count)
        let snapshot = try all.get()
        return snapshot.with(Self.sorted(snapshot.value.values.filter(filter.matches)))
    }

    func runbook(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Runbook> {
        let all = try read(policy)
        guard let runbook = all.value[id] else { throw Self.missing(id) }
        state.withLock { $0.shown[id] = runbook }
        return all.with(runbook)
    }

    func lastShown(_ id: Runbook.ID) async -> Runbook? { state.withLock { $0.shown[id] } }

    func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook {
        let now = clock.now
        return try write { (state) throws(DomainError) in
            state.made += 1
            return Runbook(
                id: Runbook.ID("made-\(state.made)"), title: draft.title, body: draft.body, tags: draft.tags,
                version: 1,
                updatedAt: now)
        }
    }

    func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int
    ) async throws(DomainError) -> Runbook {
        let now = clock.now
        return try write { (state) throws(DomainError) in
            try Self.check(id, version, state)
            return Runbook(
                id: id, title: draft.title, body: draft.body, tags: draft.tags, version: version + 1, updatedAt: now)
        }
    }

    func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError) {
        let result = state.withLock { state -> Result<Void, DomainError> in
            Result { () throws(DomainError) in
                if let failure = state.failure { throw failure }
                try Self.check(id, version, state)
                state.server[id] = nil
                state.shown[id] = nil
                state.kept = nil
            }
        }
        try result.get()
    }

    func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Snapshot<[Runbook]>.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = (filter, continuation)
            return state.lastWatcher
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
        }
        if let now = try? read(.cacheFirst) {
            continuation.yield(now.with(Self.sorted(now.value.values.filter(filter.matches))))
        }
        return stream
    }

    private func tell() {
        let (watchers, all) = state.withLock { (Array($0.watchers.values), $0.server) }
        for (filter, watcher) in watchers {
            watcher.yield(Snapshot(Self.sorted(all.values.filter(filter.matches)), .server))
        }
    }

    private func read(_ policy: ReadPolicy) throws(DomainError) -> Snapshot<[Runbook.ID: Runbook]> {
        let now = clock.now
        let result = state.withLock { state -> Result<Snapshot<[Runbook.ID: Runbook]>, DomainError> in
            state.policies.append(policy)
            if policy != .refresh, let kept = state.kept {
                return .success(Snapshot(kept, .cache(storedAt: state.keptAt)))
            }
            if policy == .cacheOnly { return .failure(.unavailable("Nothing is kept.")) }
            if let failure = state.failure {
                guard case .unavailable = failure, let kept = state.kept else { return .failure(failure) }
                return .success(Snapshot(kept, .stale(storedAt: state.keptAt, reason: failure.description)))
            }
            (state.kept, state.keptAt) = (state.server, now)
            return .success(Snapshot(state.server, .server))
        }
        return try result.get()
    }

    private func write(_ body: (inout State) throws(DomainError) -> Runbook) throws(DomainError) -> Runbook {
        let result = state.withLock { state -> Result<Runbook, DomainError> in
            Result { () throws(DomainError) in
                if let failure = state.failure { throw failure }
                let runbook = try body(&state)
                state.server[runbook.id] = runbook
                state.shown[runbook.id] = runbook
                state.kept = nil
                return runbook
            }
        }
        return try result.get()
    }

    private static func check(_ id: Runbook.ID, _ version: Int, _ state: State) throws(DomainError) {
        guard let current = state.server[id] else { throw missing(id) }
        guard current.version == version else { throw .conflict("Runbook '\(id)' was changed by another person.") }
    }

    private static func missing(_ id: Runbook.ID) -> DomainError { .notFound("There is no runbook '\(id)'.") }

    private static func sorted(_ runbooks: some Sequence<Runbook>) -> [Runbook] {
        runbooks.sorted { ($0.title, $0.id.rawValue) < ($1.title, $1.id.rawValue) }
    }
}
