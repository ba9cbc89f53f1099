package import FoundationEssentials
package import StrataDomain

/// Where journal entries are kept. Reads and writes answer at once, with or without a network.
package protocol JournalRepository: Sendable {
    /// Newest first (`occurredAt`, then id).
    func entries(_ filter: JournalFilter) async throws(DomainError) -> [JournalItem]
    /// Hands every matching entry to `update`, newest first, from one consistent state: there may be more than fit into
    /// memory. Default: by way of `entries`.
    func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result
    /// How many entries match, whatever the filter's limit.
    ///
    /// - Parameter atMost: Counting ends there.
    func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int
    /// Ids that end or begin with `part`; several, not necessarily all, when it is not exact.
    func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID]
    /// - Throws: `.notFound` for an id that is not stored here.
    func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem
    /// Stores all drafts and queues them, or none. A draft whose id is already known is left out.
    ///
    /// - Returns: One entry for each draft that was stored, in order.
    func add(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry]
    /// - Throws: `.notFound` for an id that is not stored here.
    func edit(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry
    /// - Throws: `.notFound` for an id that is not stored here.
    func remove(_ id: JournalEntry.ID) async throws(DomainError)
    /// One element now and one whenever a stored entry changed, by whichever process of this user.
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
    /// Entries to return at most; `nil` for all.
    package var limit: Int?

    package init(since: Date? = nil, host: String? = nil, severity: Severity? = nil, limit: Int? = nil) {
        self.since = since
        self.host = host
        self.severity = severity
        self.limit = limit
    }
}

/// An entry with what is still to be settled about it.
package struct JournalItem: Sendable, Hashable, Identifiable {
    package enum State: String, Sendable, Hashable, Codable {
        /// The server has it as it is shown.
        case synced
        /// Written here; on its way to the server.
        case queued
        /// Edited on both sides; a person decides.
        case conflicted
        /// Refused by the server.
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
