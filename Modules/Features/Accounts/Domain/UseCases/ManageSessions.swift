package import StrataDomain

/// Looks after the sessions of whoever is logged in.
package struct ManageSessions: Sendable {
    private let repository: any SessionRepository
    package init(_ repository: any SessionRepository) { self.repository = repository }

    package func list() async throws(DomainError) -> [Session] { try await repository.sessions() }

    /// - Throws: `.notFound` for an id that is no session of this user.
    package func revoke(_ id: Session.ID) async throws(DomainError) { try await repository.revoke(id) }
}
