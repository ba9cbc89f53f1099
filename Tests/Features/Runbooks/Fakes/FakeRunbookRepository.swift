import FoundationEssentials
import RunbooksDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// Runbooks in memory that keep the promises of the port: one copy is the server's, another what was kept of it.
final class FakeRunbookRepository: RunbookRepository {
    private struct State {
        var server: [Runbook.ID: Runbook] = [:]
        var kept: [Runbook.ID: Runbook]?
        var shown: [Runbook.ID: Runbook] = [:]
        var failure: DomainError?
        var made = 0
        var watchers: [Int: (RunbookFilter, AsyncStream<Snapshot<[Runbook]>>.Continuation)] = [:]
        var lastWatcher = 0
    }

    private let state: Mutex<State>
    private let clock: any WallClock

    init(_ runbooks: [Runbook] = [], clock: any WallClock = ManualWallClock()) {
        state = Mutex(State(server: Dictionary(runbooks.map { ($0.id, $0) }) { _, last in last }))
        self.clock = clock
    }

    /// Makes the server unreachable, or fail otherwise; `nil` brings it back.
    func fail(with error: DomainError?) { state.withLock { $0.failure = error } }

    /// Changes a runbook as somebody else does.
    func changeElsewhere(_ runbook: Runbook) {
        state.withLock { state in
            var runbook = runbook
            runbook.version = (state.server[runbook.id]?.version ?? 0) + 1
            state.server[runbook.id] = runbook
        }
    }

    /// Refreshes behind: what is kept becomes what the server has.
    func refreshBehind() {
        state.withLock { $0.kept = $0.server }
        tell()
    }

    func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        let all = try read(policy)
        return all.with(Self.sorted(all.value.values.filter(filter.matches)))
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
            if policy != .refresh, let kept = state.kept { return .success(Snapshot(kept, .cache(storedAt: now))) }
            if policy == .cacheOnly { return .failure(.unavailable("Nothing is kept.")) }
            if let failure = state.failure {
                guard let kept = state.kept else { return .failure(failure) }
                return .success(Snapshot(kept, .stale(storedAt: now, reason: failure.description)))
            }
            state.kept = state.server
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
        guard current.version == version else { throw .conflict("Runbook '\(id)' was changed by somebody else.") }
    }

    private static func missing(_ id: Runbook.ID) -> DomainError { .notFound("There is no runbook '\(id)'.") }

    private static func sorted(_ runbooks: some Sequence<Runbook>) -> [Runbook] {
        runbooks.sorted { ($0.title, $0.id.rawValue) < ($1.title, $1.id.rawValue) }
    }
}
