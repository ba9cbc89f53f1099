package import FoundationEssentials
package import StrataDomain

/// The operations on the journal.
package struct Journal: Sendable {
    private let repository: any JournalRepository
    package let importLog: ImportLog
    package let report: WriteReport
    package let surroundings: JournalSurroundings
    /// Lets queued entries reach the server within a short time. Never fails.
    package let settle: @Sendable () async -> Void

    /// - Parameters:
    ///   - identity: Gives imported lines their ids, so that a repeated import adds nothing.
    ///   - timeZone: The time zone of logs without an offset. Default: that of the system.
    ///   - surroundings: Default: nothing is known.
    ///   - settle: Default: nothing; entries wait for the next run of the sync engine.
    package init(
        _ repository: any JournalRepository, identity: any LineIdentity, clock: any WallClock = SystemWallClock(),
        timeZone: TimeZone = .current, surroundings: JournalSurroundings = JournalSurroundings(),
        settle: @escaping @Sendable () async -> Void = {}
    ) {
        self.repository = repository
        importLog = ImportLog(repository, identity: identity, clock: clock, timeZone: timeZone)
        report = WriteReport(repository, clock: clock)
        self.surroundings = surroundings
        self.settle = settle
    }
}

// MARK: - Reading

extension Journal {
    /// - Throws: `.notFound` for an id that is not stored here.
    package func get(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem { try await repository.entry(id) }

    /// The matching entries, newest first.
    ///
    /// - Throws: `.validation` for a limit below 1.
    package func list(_ filter: JournalFilter = JournalFilter()) async throws(DomainError) -> [JournalItem] {
        try Self.check(filter)
        return try await repository.entries(filter)
    }

    /// Passes every matching entry to `update`, newest first, without holding all in memory.
    ///
    /// - Throws: `.validation` for a limit below 1.
    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result {
        try Self.check(filter)
        return try await repository.reduce(filter, into: initial, update)
    }

    /// How many entries match, at any limit of the filter. Counting ends at `atMost`.
    package func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        try await repository.count(filter, atMost: atMost)
    }

    /// Ids that begin or end with `part`. When it is ambiguous, several and not necessarily all.
    package func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try await repository.ids(with: part)
    }

    /// One element now, and one after each change of stored entries.
    package func changes() -> AsyncStream<Void> { repository.changes() }

    private static func check(_ filter: JournalFilter) throws(DomainError) {
        if let limit = filter.limit, limit < 1 { throw .validation("The limit must be 1 or more; it is \(limit).") }
    }
}

// MARK: - Writing

extension Journal {
    /// The stored entry. For a draft with the id of a stored entry, that entry.
    ///
    /// - Throws: `.validation` naming each field.
    package func create(_ draft: JournalDraft) async throws(DomainError) -> JournalEntry {
        let draft = try draft.validated()
        if let entry = try await repository.create([draft]).first { return entry }
        guard let id = draft.id else {
            throw .unexpected("The journal stored no entry and gave no reason; repeat the command with -v.")
        }
        return try await repository.entry(id).entry
    }

    /// - Throws: `.validation` naming each field, or for an edit that changes nothing; `.notFound`.
    package func update(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry {
        try await repository.update(id, edit.validated())
    }

    /// - Throws: `.notFound` for an id that is not stored here.
    package func delete(_ id: JournalEntry.ID) async throws(DomainError) { try await repository.delete(id) }
}
