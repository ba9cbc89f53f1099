import FoundationEssentials
import IncidentsDomain
import StrataDomain
import Synchronization

/// Incidents in memory.
final class FakeIncidentRepository: IncidentRepository {
    struct State {
        var items: [Stored<Incident>] = []
        /// What every call answers instead.
        var failure: DomainError?
        var policies: [ReadPolicy] = []
    }

    private let state: Mutex<State>

    init(_ items: Stored<Incident>...) { state = Mutex(State(items: items)) }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func incidents(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Incident>]> {
        change { $0.policies.append(policy) }
        try check()
        return Snapshot(current.items.sorted { $0.id.rawValue > $1.id.rawValue }, .server)
    }

    func incident(_ id: Incident.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Incident>> {
        change { $0.policies.append(policy) }
        try check()
        guard let item = current.items.first(where: { $0.id == id }) else { throw .notFound("No incident '\(id)'.") }
        return Snapshot(item, .server)
    }

    func add(_ incident: Incident) async throws(DomainError) -> Stored<Incident> {
        try check()
        let item = Stored<Incident>.example("s-\(current.items.count + 1)", incident, version: 1)
        change { $0.items.append(item) }
        return item
    }

    func update(
        _ id: Incident.ID, to incident: Incident, basedOn version: Int
    ) async throws(DomainError) -> Stored<Incident> {
        let old = try await incidentToWrite(id, version)
        let item = Stored<Incident>.example(id.rawValue, incident, version: old.version + 1)
        change { $0.items = $0.items.map { $0.id == id ? item : $0 } }
        return item
    }

    func remove(_ id: Incident.ID, basedOn version: Int) async throws(DomainError) {
        _ = try await incidentToWrite(id, version)
        change { $0.items.removeAll { $0.id == id } }
    }

    func changes() -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }

    private func incidentToWrite(_ id: Incident.ID, _ version: Int) async throws(DomainError) -> Stored<Incident> {
        let old = try await incident(id, .cacheFirst).value
        guard old.version == version else { throw .conflict("'\(id)' was changed by somebody else.") }
        return old
    }

    private func check() throws(DomainError) {
        if let failure = current.failure { throw failure }
    }
}
