package import FoundationEssentials
package import StrataDomain

/// What the journal does besides reading and writing entries.
package struct Journal: Sendable {
    /// Entries on this machine. Reads and writes need no network.
    package let entries: EntityUseCases<JournalEntry>
    package let importLog: ImportLog
    /// Lets queued entries reach the server within a short time. Never fails.
    package let settle: @Sendable () async -> Void
    private let clock: any WallClock

    /// - Parameter settle: Default: nothing; entries wait for the next run of the sync engine.
    package init(
        _ entries: EntityUseCases<JournalEntry>, importLog: ImportLog, clock: any WallClock = SystemWallClock(),
        settle: @escaping @Sendable () async -> Void = {}
    ) {
        (self.entries, self.importLog, self.clock, self.settle) = (entries, importLog, clock, settle)
    }

    /// Sums up what happened.
    ///
    /// - Parameter since: `nil` for everything that is stored.
    package func report(since: Date? = nil) async throws(DomainError) -> Report {
        let query = EntityQuery<JournalEntry>(lowerBounds: since.map { ["occurred_at": $0.fieldValue] } ?? [:])
        let tally = try await entries.reduce(query, into: ReportTally()) { $0.add($1) }
        return tally.value.report(since: since, createdAt: clock.now)
    }
}
