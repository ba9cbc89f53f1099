package import StrataDomain

/// What can be done with incidents; built once over a repository and handed to commands and view models.
package struct Incidents: Sendable {
    private let repository: any IncidentRepository
    package init(_ repository: any IncidentRepository) { self.repository = repository }

    /// All incidents, newest first, with where they came from.
    package func list(_ policy: ReadPolicy = .cacheFirst) async throws(DomainError) -> Snapshot<[Stored<Incident>]> {
        try await repository.incidents(policy)
    }

    /// - Throws: `.notFound`.
    package func show(
        _ id: Incident.ID, _ policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<Stored<Incident>> {
        try await repository.incident(id, policy)
    }

    /// - Throws: `.validation` naming each field, before anything is kept or sent.
    package func add(_ incident: Incident) async throws(DomainError) -> Stored<Incident> {
        try await repository.add(incident.validated())
    }

    /// The incident after `change`, which is put on it as it is known here.
    ///
    /// - Throws: `.validation` naming each field, or that nothing is changed; `.notFound`; `.conflict` when
    ///   somebody else changed it meanwhile.
    package func edit(
        _ id: Incident.ID, _ change: (inout Incident) throws(DomainError) -> Void
    ) async throws(DomainError) -> Stored<Incident> {
        let base = try await repository.incident(id, .cacheFirst).value
        var incident = base.content
        try change(&incident)
        guard incident != base.content else { throw .validation("The edit changes nothing; give another value.") }
        return try await repository.update(id, to: incident.validated(), basedOn: base.version)
    }

    /// - Throws: `.notFound`; `.conflict` when somebody else changed it meanwhile.
    package func remove(_ id: Incident.ID) async throws(DomainError) {
        try await repository.remove(id, basedOn: repository.incident(id, .cacheFirst).value.version)
    }

    /// One element now, and one whenever the list may have become another one.
    package func changes() -> AsyncStream<Void> { repository.changes() }
}
