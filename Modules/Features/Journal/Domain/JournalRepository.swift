package import FoundationEssentials
package import StrataDomain

/// The journal on this machine. Reads and writes need no network.
package protocol JournalRepository: EntityRepository<JournalEntry> {
    /// Passes every matching entry to `update`, newest first (`occurredAt`, then id), from one consistent state and without
    /// holding all in memory.
    func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, Stored<JournalEntry>) -> Void
    ) async throws(DomainError) -> Result
    /// How many entries match, at any limit of the filter.
    ///
    /// - Parameter atMost: Counting ends at this number.
    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int
    /// Ids that begin or end with `part`. When it is ambiguous, several and not necessarily all.
    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID]
    /// Stores and queues all drafts, or none. A draft with the id of a stored entry is skipped.
    ///
    /// - Returns: The id of each stored draft, in order.
    func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry.ID]
    /// Changes some fields, by name on the wire.
    ///
    /// - Throws: `.notFound` for an id that is not stored here.
    func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws(DomainError)
    /// Why a write to an entry, also to one that is deleted here, waits for a user: `.rejected` or `.conflicted`.
    ///
    /// - Returns: `nil` when none does.
    func obstacle(_ id: JournalEntry.ID) async throws(DomainError) -> SyncState?
}

/// What every journal does the same way.
extension JournalRepository {
    package func entries(_ filter: JournalFilter) async throws(DomainError) -> [Stored<JournalEntry>] {
        try await reduce(filter, into: [Stored<JournalEntry>]()) { $0.append($1) }
    }

    /// The order is that of the journal.
    package func list(
        _ query: EntityQuery<JournalEntry>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<JournalEntry>]> {
        Snapshot(try await entries(JournalFilter(query.filters, search: query.search, limit: query.limit)), .local)
    }

    package func create(_ content: JournalEntry) async throws(DomainError) -> Stored<JournalEntry> {
        guard let id = try await create([JournalDraft(content)]).first else {
            throw .unexpected("The journal stored no entry and gave no reason; repeat the command with -v.")
        }
        return try await get(id, .cacheFirst).value
    }

    package func update(
        _ id: JournalEntry.ID, to content: JournalEntry, basedOn version: Int
    ) async throws(DomainError) -> Stored<JournalEntry> {
        let old = try await get(id, .cacheFirst).value.content.wireFields()
        try await update(id, content.wireFields().filter { $0.value != old[$0.key] })
        return try await get(id, .cacheFirst).value
    }
}

package struct JournalFilter: Sendable, Hashable {
    /// The values of fields, by name on the wire.
    package var fields: [String: JSONValue]
    /// A part of the text, `A` to `Z` as `a` to `z`.
    package var search: String?
    package var since: Date?
    /// Most entries to return; `nil` for all.
    package var limit: Int?

    package init(
        _ fields: [String: JSONValue] = [:], search: String? = nil, since: Date? = nil, limit: Int? = nil
    ) {
        (self.fields, self.search, self.since, self.limit) = (fields, search, since, limit)
    }
}
