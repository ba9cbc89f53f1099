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
        let tally = try await repository.reduce(JournalFilter(since: since), into: ReportTally()) { $0.add($1) }
        return tally.report(since: since, createdAt: clock.now)
    }
}
