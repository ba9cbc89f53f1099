import RunbooksDomain
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataTesting

/// The server's runbooks, in memory.
final class FakeRunbooks: EntityRepository {
    struct State {
        var items: [Stored<Runbook>]
        /// The error of every call; `nil` for none.
        var failure: DomainError?
        /// Number of lists and gets.
        var reads = 0
    }

    private let state: Mutex<State>

    init(_ items: [Stored<Runbook>]) { state = Mutex(State(items: items)) }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func list(
        _ query: EntityQuery<Runbook>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Runbook>]> {
        Snapshot(query.entities(of: try read()), .server)
    }

    func get(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Runbook>> {
        guard let item = try read().first(where: { $0.id == id }) else { throw .notFound("No runbook '\(id)'.") }
        return Snapshot(item, .server)
    }

    func create(_ runbook: Runbook) async throws(DomainError) -> Stored<Runbook> {
        let item = Stored(id: Runbook.ID("made-1"), runbook, version: 1, updatedAt: .noon)
        change { $0.items.append(item) }
        return item
    }

    func update(
        _ id: Runbook.ID, to runbook: Runbook, basedOn version: Int
    ) async throws(DomainError) -> Stored<Runbook> {
        try await delete(id, basedOn: version)
        let item = Stored(id: id, runbook, version: version + 1, updatedAt: .noon)
        change { $0.items.append(item) }
        return item
    }

    func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError) {
        guard try await get(id, .mustAsk).value.version == version else {
            throw .conflict("Runbook '\(id)' was changed; 'shiftlog runbooks show \(id) --refresh' shows it.")
        }
        change { $0.items.removeAll { $0.id == id } }
    }

    func changes(of query: EntityQuery<Runbook>) -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    private func read() throws(DomainError) -> [Stored<Runbook>] {
        change { $0.reads += 1 }
        if let failure = current.failure { throw failure }
        return current.items
    }
}

extension Stored<Runbook> {
    /// With a value in every field.
    static func sample(
        _ id: String = "r1", title: String = "Restart", body: String = "# Restart\n1. Breathe.\n",
        tags: [String] = ["db", "night"], version: Int = 3
    ) -> Self {
        let runbook = Runbook(title: title, body: body, tags: tags)
        return Stored(id: Runbook.ID(id), runbook, version: version, updatedAt: .noon)
    }
}
