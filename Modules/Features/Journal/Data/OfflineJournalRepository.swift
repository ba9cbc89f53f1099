import FoundationEssentials
import GRDB
import JournalAPI
package import JournalDomain
package import StrataDomain
package import StrataOffline

/// The journal on this machine: reads and writes answer at once, the sync engine does the rest.
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

    package func entries(_ filter: JournalFilter) async throws(DomainError) -> [JournalItem] {
        try await store.read { db in
            let rows = try Self.request(filter).fetchAll(db)
            return try Self.items(rows, in: db)
        }
    }

    package func reduce<Result: Sendable>(
        _ filter: JournalFilter, into initial: Result, _ update: @Sendable (inout Result, JournalItem) -> Void
    ) async throws(DomainError) -> Result {
        try await store.read { db in
            var result = initial
            let rows = try Self.request(filter).fetchCursor(db)
            while case let page = try Self.page(rows), !page.isEmpty {
                for item in try Self.items(page, in: db) { update(&result, item) }
            }
            return result
        }
    }

    /// The next rows, few enough to ask for their states at once.
    private static func page(_ rows: RecordCursor<JournalRow>) throws -> [JournalRow] {
        var page: [JournalRow] = []
        while page.count < 500, let row = try rows.next() { page.append(row) }
        return page
    }

    /// The states of these rows only: the outbox may be much longer.
    private static func items(_ rows: [JournalRow], in db: Database) throws -> [JournalItem] {
        let states = try OfflineStore.queueStates(JournalRow.collectionName, ids: rows.map(\.id), in: db)
        return rows.map { JournalItem(entry: $0.entry, state: state(states[$0.id])) }
    }

    package func count(_ filter: JournalFilter, atMost: Int) async throws(DomainError) -> Int {
        var bounded = filter
        bounded.limit = atMost
        let request = Self.request(bounded)
        return try await store.read { try request.fetchCount($0) }
    }

    package func ids(with part: String) async throws(DomainError) -> [JournalEntry.ID] {
        try await store.read { db in
            try OfflineStore.ids(with: part, in: "id", of: JournalRow.databaseTableName, db).map { JournalEntry.ID($0) }
        }
    }

    package func entry(_ id: JournalEntry.ID) async throws(DomainError) -> JournalItem {
        let item = try await store.read { db in
            try JournalRow.fetchOne(db, key: id.rawValue).map { row in
                let states = try OfflineStore.queueStates(JournalRow.collectionName, ids: [row.id], in: db)
                return JournalItem(entry: row.entry, state: Self.state(states[row.id]))
            }
        }
        guard let item else { throw Self.unknown(id) }
        return item
    }

    package func create(_ drafts: [JournalDraft]) async throws(DomainError) -> [JournalEntry] {
        let now = wallClock.now
        let named = drafts.map { (id: $0.id?.rawValue ?? random.id(at: now), draft: $0) }
        var stored = try await store.createAll(
            JournalRow.collectionName, named.map { (id: $0.id, fields: $0.draft.wireFields) }, at: now)
        return named.compactMap { id, draft in
            // Of drafts with one id, the first was stored.
            guard stored.remove(id) != nil else { return nil }
            return JournalEntry(
                id: JournalEntry.ID(id), host: draft.host, severity: draft.severity, text: draft.text,
                occurredAt: draft.occurredAt.roundedToMillisecond, runbookId: draft.runbookId, updatedAt: now)
        }
    }

    package func update(_ id: JournalEntry.ID, _ edit: JournalEdit) async throws(DomainError) -> JournalEntry {
        let fields: [String: JSONValue]
        do { fields = try JSONValue(encoding: JournalEditPayload(edit)).object ?? [:] } catch {
            throw .unexpected("The edit cannot be written as JSON: \(error)")
        }
        do { try await store.patch(JournalRow.collectionName, id.rawValue, fields) } catch {
            throw Self.translated(error, id)
        }
        return try await entry(id).entry
    }

    package func delete(_ id: JournalEntry.ID) async throws(DomainError) {
        do { try await store.delete(JournalRow.collectionName, id.rawValue) } catch {
            throw Self.translated(error, id)
        }
    }

    package func changes() -> AsyncStream<Void> { store.changes(in: JournalRow.collectionName) }

    private static func request(_ filter: JournalFilter) -> QueryInterfaceRequest<JournalRow> {
        let occurredAt = Column("occurred_at")
        var request = JournalRow.order(occurredAt.desc, Column("id").desc)
        if let since = filter.since { request = request.filter(occurredAt >= since.milliseconds) }
        if let host = filter.host { request = request.filter(Column("host") == host) }
        if let severity = filter.severity { request = request.filter(Column("severity") == severity.rawValue) }
        if let limit = filter.limit { request = request.limit(max(0, limit)) }
        return request
    }

    private static func state(_ state: SyncState?) -> JournalItem.State {
        switch state {
        case nil, .synced: .synced
        case .queued: .queued
        case .conflicted: .conflicted
        case .rejected: .rejected
        }
    }

    private static func translated(_ error: DomainError, _ id: JournalEntry.ID) -> DomainError {
        if case .notFound = error { unknown(id) } else { error }
    }

    private static func unknown(_ id: JournalEntry.ID) -> DomainError {
        .notFound(
            "No journal entry '\(id)' is stored here; 'journal list' shows those that are, 'sync' fetches what is new.")
    }
}
