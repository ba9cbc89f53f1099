package import StrataDomain

/// Tells who is logged in.
package struct WhoAmI: Sendable {
    private let repository: any SessionRepository
    package init(_ repository: any SessionRepository) { self.repository = repository }

    /// - Throws: `.unauthorized` when nobody is logged in.
    package func callAsFunction() async throws(DomainError) -> User { try await repository.me() }
}
