package import FoundationEssentials
package import StrataDomain

/// The journal on this machine. Reads and writes need no network.
package protocol JournalRepository: Sendable {
    /// Newest first (`occurredAt`, then id).
    func entries(_ filter: JournalFilter) async throws(DomainError) -> [JournalItem]
    /// Passes every matching entry to `update`, newest first, from one consistent state and without holding all in memory.
    /// Default: uses `entries`.
    func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result
    /// How many entries match, at any limit of the filter.
    ///
    /// - Parameter atMost: Counting ends at this number.
    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int
    /// Ids that begin or end with `part`. When it is ambiguous, several and not necessarily all.
    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID]
    /// - Throws: `.notFound` for an id that is not stored here.
    func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem
    /// Stores and queues all drafts, or none. A draft with the id of a stored entry is skipped.
    ///
    /// - Returns: An entry for each stored draft, in order.
    func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry]
    /// - Throws: `.notFound` for an id that is not stored here.
    func update(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry
    /// - Throws: `.notFound` for an id that is not stored here.
    func delete(_ id: JournalEntry.ID) async throws(DomainError)
    /// One element now, and one after each change of stored entries by any process of this user.
    func changes() -> AsyncStream<Void>
}

extension JournalRepository {
    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result {
        try await entries(filter).reduce(into: initial, update)
    }
}

package struct JournalFilter: Sendable, Hashable {
    package var since: Date?
    package var host: String?
    package var severity: Severity?
    /// Most entries to return; `nil` for all.
    package var limit: Int?

    package init(since: Date? = nil, host: String? = nil, severity: Severity? = nil, limit: Int? = nil) {
        self.since = since
        self.host = host
        self.severity = severity
        self.limit = limit
    }
}

/// An entry with its sync state.
package struct JournalItem: Sendable, Hashable, Identifiable {
    package enum State: String, Sendable, Hashable, Codable {
        /// The server has this version.
        case synced
        /// Written here and not yet sent.
        case queued
        /// Edited on both sides; the user must resolve the conflict.
        case conflicted
        /// Rejected by the server.
        case rejected
    }

    package var entry: JournalEntry
    package var state: State
    package var id: JournalEntry.ID { entry.id }

    package init(entry: JournalEntry, state: State) {
        self.entry = entry
        self.state = state
    }
}
