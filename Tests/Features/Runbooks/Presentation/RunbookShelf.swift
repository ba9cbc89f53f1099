import FoundationEssentials
import RunbooksDomain
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting

/// Runbooks in memory, with a server that can be reached or not.
final class RunbookShelf: RunbookRepository {
    struct State {
        var runbooks: [Runbook] = []
        var origin = SnapshotOrigin.server
        /// What every call answers instead.
        var failure: DomainError?
        var policies: [ReadPolicy] = []
        /// Called in each read, after its answer is settled, with the number of the read from 0.
        var duringRead: @Sendable (Int) async -> Void = { _ in }
    }

    private let state: Mutex<State>
    private let (stream, brought) = AsyncStream.makeStream(of: Snapshot<[Runbook]>.self)

    init(_ runbooks: [Runbook] = []) { state = Mutex(State(runbooks: runbooks)) }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }
    /// A refresh behind brought another list.
    func bring(_ snapshot: Snapshot<[Runbook]>) { brought.yield(snapshot) }
    func bringNothingMore() { brought.finish() }

    func runbooks(
        _ filter: RunbookFilter, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Runbook]> {
        let (now, number) = state.withLock { state in
            state.policies.append(policy)
            return (state, state.policies.count - 1)
        }
        await now.duringRead(number)
        if let failure = now.failure { throw failure }
        return Snapshot(now.runbooks.filter(filter.matches), now.origin)
    }

    func runbook(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Runbook> {
        let all = try await runbooks(RunbookFilter(), policy)
        guard let runbook = all.value.first(where: { $0.id == id }) else { throw .notFound("No runbook '\(id)'.") }
        return all.with(runbook)
    }

    func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook {
        let failure = current.failure
        if let failure { throw failure }
        let runbook = Runbook(
            id: Runbook.ID("new"), title: draft.title, body: draft.body, tags: draft.tags, version: 1, updatedAt: .noon)
        change { $0.runbooks.append(runbook) }
        return runbook
    }

    func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int
    ) async throws(DomainError) -> Runbook {
        var runbook = try await runbook(id, .refresh).value
        guard runbook.version == version else { throw .conflict("Runbook '\(id)' is at version \(runbook.version).") }
        (runbook.title, runbook.body, runbook.tags) = (draft.title, draft.body, draft.tags)
        runbook.version += 1
        let updated = runbook
        change { state in state.runbooks = state.runbooks.map { $0.id == id ? updated : $0 } }
        return updated
    }

    func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError) {
        let runbook = try await runbook(id, .refresh).value
        guard runbook.version == version else { throw .conflict("Runbook '\(id)' is at version \(runbook.version).") }
        change { $0.runbooks.removeAll { $0.id == id } }
    }

    func lastShown(_ id: Runbook.ID) async -> Runbook? { shown.withLock { $0[id] } }
    /// What an edit is based on, when it is not the newest.
    let shown = Mutex<[Runbook.ID: Runbook]>([:])

    func updates(_ filter: RunbookFilter) -> AsyncStream<Snapshot<[Runbook]>> { stream }
}

extension Runbook {
    static func sample(_ id: String = "r1", title: String = "Restart", version: Int = 3) -> Runbook {
        Runbook(
            id: ID(id), title: title, body: "# Restart\n1. Breathe.\n", tags: ["db", "night"], version: version,
            updatedAt: .noon)
    }
}
