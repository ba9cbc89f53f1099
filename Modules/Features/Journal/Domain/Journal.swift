package import FoundationEssentials
package import StrataDomain

/// The operations on the journal.
package struct Journal: Sendable {
    private let repository: any JournalRepository
    private let upkeep: ListUpkeep
    package let importLog: ImportLog
    package let report: WriteReport
    package let surroundings: JournalSurroundings
    /// Lets queued entries reach the server within a short time. Never fails.
    package let settle: @Sendable () async -> Void

    /// - Parameters:
    ///   - identity: Gives imported lines their ids, so that a repeated import adds nothing.
    ///   - timeZone: The time zone of logs without an offset. Default: that of the system.
    ///   - surroundings: Default: nothing is known.
    ///   - upkeep: For a list that is followed.
    ///   - settle: Default: nothing; entries wait for the next run of the sync engine.
    package init(
        _ repository: any JournalRepository, identity: any LineIdentity, clock: any WallClock = SystemWallClock(),
        timeZone: TimeZone = .current, surroundings: JournalSurroundings = JournalSurroundings(),
        upkeep: ListUpkeep = ListUpkeep(), settle: @escaping @Sendable () async -> Void = {}
    ) {
        self.repository = repository
        self.upkeep = upkeep
        importLog = ImportLog(repository, identity: identity, clock: clock, timeZone: timeZone)
        report = WriteReport(repository, clock: clock)
        self.surroundings = surroundings
        self.settle = settle
    }
}

// MARK: - Reading

extension Journal {
    /// For views, which show a list and follow its changes.
    package var entries: EntityUseCases<JournalEntry> { Self.entries(repository, upkeep) }

    private static func entries(
        _ repository: some JournalRepository, _ upkeep: ListUpkeep
    ) -> EntityUseCases<JournalEntry> {
        EntityUseCases(repository, upkeep: upkeep)
    }

    /// - Throws: `.notFound` for an id that is not stored here.
    package func get(_ id: JournalEntry.ID) async throws(DomainError) -> Stored<JournalEntry> {
        try await repository.get(id, .cacheFirst).value
    }

    /// The matching entries, newest first.
    ///
    /// - Throws: `.validation` for a limit below 1.
    package func list(_ filter: JournalFilter = JournalFilter()) async throws(DomainError) -> [Stored<JournalEntry>] {
        try await reduce(filter, into: [Stored<JournalEntry>]()) { $0.append($1) }
    }

    /// Passes every matching entry to `update`, newest first, without holding all in memory.
    ///
    /// - Throws: `.validation` for a limit below 1.
    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, Stored<JournalEntry>) -> Void
    ) async throws(DomainError) -> Result {
        if let limit = filter.limit, limit < 1 { throw .validation("The limit must be 1 or more; it is \(limit).") }
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
}

// MARK: - Writing

extension Journal {
    /// Stores a line, unless an entry has its id.
    ///
    /// - Returns: The id of the entry.
    /// - Throws: `.validation` naming each field.
    package func create(_ draft: JournalDraft) async throws(DomainError) -> JournalEntry.ID {
        let id = try await repository.create([JournalDraft(id: draft.id, draft.entry.validated())]).first ?? draft.id
        guard let id else {
            throw .unexpected("The journal stored no entry and gave no reason; repeat the command with -v.")
        }
        return id
    }

    /// Changes some fields, by name on the wire.
    ///
    /// - Throws: `.validation` naming each changed field that breaks its rule, or when there is no change; `.notFound`.
    package func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws(DomainError) {
        var check = FieldCheck()
        try await get(id).content.changing(changes).check(changes.keys, into: &check)
        try check.orThrow("The edit was not accepted.")
        guard !changes.isEmpty else { throw .validation("The edit changes nothing; give at least one field.") }
        try await repository.update(id, changes)
    }

    /// - Throws: `.notFound` for an id that is not stored here.
    package func delete(_ id: JournalEntry.ID) async throws(DomainError) {
        try await repository.delete(id, basedOn: 0)
    }

    /// Why the last write to an entry waits for a user.
    package func obstacle(_ id: JournalEntry.ID) async throws(DomainError) -> SyncState? {
        try await repository.obstacle(id)
    }
}
