package import StrataDomain

/// Where incidents come from and go to.
package protocol IncidentRepository: Sendable {
    /// All incidents, newest first.
    ///
    /// - Throws: `.unavailable` when the server is needed and cannot be reached.
    func incidents(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Incident>]>

    /// - Throws: `.notFound`; `.unavailable` when the server is needed and cannot be reached.
    func incident(_ id: Incident.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Incident>>

    func add(_ incident: Incident) async throws(DomainError) -> Stored<Incident>

    /// - Parameter version: The version the edit is based on.
    /// - Throws: `.notFound`; `.conflict` when the server must agree at once and has another version.
    func update(
        _ id: Incident.ID, to incident: Incident, basedOn version: Int
    ) async throws(DomainError) -> Stored<Incident>

    /// - Throws: `.notFound`; `.conflict` when the server must agree at once and has another version.
    func remove(_ id: Incident.ID, basedOn version: Int) async throws(DomainError)

    /// One element now, and one whenever the list may have become another one.
    func changes() -> AsyncStream<Void>
}
