import FoundationEssentials
import StrataConcurrency
import StrataDomain

@testable import SpecimensDomain

/// Specimens in memory.
final class FakeEntityRepository: EntityRepository {
    struct State {
        var items: [Stored<Specimen>] = []
        /// What every call answers instead.
        var failure: DomainError?
        var policies: [ReadPolicy] = []
        /// Runs in each list, after its items are settled, with the number of the read from 1.
        var duringRead: @Sendable (Int) async -> Void = { _ in }
        var queries: [EntityQuery<Specimen>] = []
        /// The state of what is added from now on.
        var syncState = SyncState.synced
    }

    private let state: Mutex<State>

    init(_ items: Stored<Specimen>...) { state = Mutex(State(items: items)) }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func list(
        _ query: EntityQuery<Specimen>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        change { $0.policies.append(policy) }
        change { $0.queries.append(query) }
        try check()
        let now = current
        await now.duringRead(now.policies.count)
        return Snapshot(query.entities(of: now.items), .server)
    }

    func get(_ id: Specimen.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        change { $0.policies.append(policy) }
        try check()
        guard let item = current.items.first(where: { $0.id == id }) else { throw .notFound("No specimen '\(id)'.") }
        return Snapshot(item, .server)
    }

    func create(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen> {
        try check()
        var item = Stored<Specimen>.example("s-\(current.items.count + 1)", specimen, version: 1)
        item.syncState = current.syncState
        let added = item
        change { $0.items.append(added) }
        return added
    }

    func update(
        _ id: Specimen.ID, to specimen: Specimen, basedOn version: Int
    ) async throws(DomainError) -> Stored<Specimen> {
        let old = try await specimenToWrite(id, version)
        let item = Stored<Specimen>.example(id.rawValue, specimen, version: old.version + 1)
        change { $0.items = $0.items.map { $0.id == id ? item : $0 } }
        return item
    }

    func delete(_ id: Specimen.ID, basedOn version: Int) async throws(DomainError) {
        _ = try await specimenToWrite(id, version)
        change { $0.items.removeAll { $0.id == id } }
    }

    func changes(of query: EntityQuery<Specimen>) -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }

    private func specimenToWrite(_ id: Specimen.ID, _ version: Int) async throws(DomainError) -> Stored<Specimen> {
        let old = try await get(id, .cacheFirst).value
        guard old.version == version else { throw .conflict("'\(id)' was changed by somebody else.") }
        return old
    }

    private func check() throws(DomainError) {
        if let failure = current.failure { throw failure }
    }
}
