import FoundationEssentials
import GRDB
package import JournalDomain
package import StrataDomain
package import StrataOffline

/// The journal on this machine: reads and writes return at once, and the sync engine sends and receives later.
package struct OfflineJournalRepository: JournalRepository {
    private let store: OfflineStore
    private let wallClock: any WallClock
    private let random: RandomSource

    package init(
        _ store: OfflineStore, wallClock: any WallClock = SystemWallClock(), random: RandomSource = RandomSource()
    ) {
        self.store = store
        self.wallClock = wallClock
        self.random = random
    }

    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, Stored<JournalEntry>) -> Void
    ) async throws(DomainError) -> Result {
        try await store.read { db in
            var result = initial
            try EntityRow<JournalEntry>.forEach(Self.request(filter), in: db) { update(&result, $0) }
            return result
        }
    }

    package func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        var bounded = filter
        bounded.limit = atMost
        let request = Self.request(bounded)
        return try await store.read { try request.fetchCount($0) }
    }

    package func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try await store.read { db in
            try OfflineStore.ids(with: part, in: "id", of: EntityRow<JournalEntry>.databaseTableName, db)
                .map { JournalEntry.ID($0) }
        }
    }

    package func get(
        _ id: JournalEntry.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<JournalEntry>> {
        guard let entry = try await store.read({ db in try EntityRow<JournalEntry>.entity(id, in: db) }) else {
            throw Self.unknown(id)
        }
        return Snapshot(entry, .local)
    }

    package func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry.ID] {
        let now = wallClock.now
        var rows: [(id: String, fields: [String: JSONValue])] = []
        for draft in drafts {
            rows.append((id: draft.id?.rawValue ?? random.id(at: now), fields: try draft.entry.wireFields()))
        }
        var stored = try await store.createAll(JournalEntry.collection, rows, at: now)
        // Of drafts with one id, the first was stored.
        return rows.filter { stored.remove($0.id) != nil }.map { JournalEntry.ID($0.id) }
    }

    package func update(_ id: JournalEntry.ID, _ changes: [String: JSONValue]) async throws(DomainError) {
        do { try await store.patch(JournalEntry.collection, id.rawValue, changes) } catch {
            throw Self.translated(error, id)
        }
    }

    /// `version` is not used: the store has the base of the row, and the sync engine merges.
    package func delete(_ id: JournalEntry.ID, basedOn version: Int) async throws(DomainError) {
        do { try await store.delete(JournalEntry.collection, id.rawValue) } catch {
            throw Self.translated(error, id)
        }
    }

    package func obstacle(_ id: JournalEntry.ID) async throws(DomainError) -> SyncState? {
        try await store.obstacle(JournalEntry.collection, id.rawValue)?.0
    }

    package func changes(of query: EntityQuery<JournalEntry>) -> AsyncStream<Void> {
        store.changes(in: JournalEntry.collection)
    }

    private static func request(_ filter: JournalFilter) -> QueryInterfaceRequest<EntityRow<JournalEntry>> {
        let occurredAt = Column("occurred_at")
        var request = EntityRow<JournalEntry>.having(filter.fields, search: filter.search)
            .order(occurredAt.desc, Column("id").desc)
        if let since = filter.since { request = request.filter(occurredAt >= since.milliseconds) }
        if let limit = filter.limit { request = request.limit(max(0, limit)) }
        return request
    }

    private static func translated(_ error: DomainError, _ id: JournalEntry.ID) -> DomainError {
        if case .notFound = error { unknown(id) } else { error }
    }

    private static func unknown(_ id: JournalEntry.ID) -> DomainError {
        .notFound(
            "No journal entry '\(id)' is stored here; 'journal list' shows those that are, 'sync' fetches what is new.")
    }
}
