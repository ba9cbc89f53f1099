package import StrataDomain

/// Ends the session.
package struct LogOut: Sendable {
    private let repository: any SessionRepository
    package init(_ repository: any SessionRepository) { self.repository = repository }

    /// Whether the server confirmed the end of the session; the tokens here are gone in either case.
    ///
    /// - Parameter everywhere: Ends every session of this user; this needs the server.
    /// - Throws: `.unavailable` when `everywhere` is asked for and the server cannot be reached.
    package func callAsFunction(everywhere: Bool = false) async throws(DomainError) -> Bool {
        try await repository.logout(everywhere: everywhere)
    }
}
