package import FoundationEssentials
package import StrataDomain

/// Sums up what happened.
package struct WriteReport: Sendable {
    private let repository: any JournalRepository
    private let clock: any WallClock

    package init(_ repository: any JournalRepository, clock: any WallClock = SystemWallClock()) {
        self.repository = repository
        self.clock = clock
    }

    /// - Parameter since: `nil` for everything that is kept.
    package func callAsFunction(since: Date? = nil) async throws(DomainError) -> Report {
        let items = try await repository.entries(JournalFilter(since: since))
        return Report(of: items, since: since, createdAt: clock.now)
    }
}
