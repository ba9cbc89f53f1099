import FoundationEssentials
import GRDB
import Logging
import StrataDomain

extension SyncEngine {
    /// Fetches pages until there is nothing newer, each stored together with its cursor.
    ///
    /// A cursor the server does not accept any more starts a replacement round, at most once in a run.
    ///
    /// - Returns: The version up to which everything is here; `nil` from a server that does not tell.
    @discardableResult
    func pull(_ report: inout SyncReport) async throws(DomainError) -> Int? {
        var cursor = try await storedCursor()
        var mayRestart = true
        var (reached, idlePages) = (Int.min, 0)
        while true {
            let page: ChangesPage
            do { page = try await fetchRemote(after: cursor) } catch {
                guard mayRestart, cursor != nil, Self.asksForReplacement(error) else { throw DomainError(error) }
                log.info("The server asks for a replacement round.", metadata: ["reason": "\(error)"])
                mayRestart = false
                cursor = nil
                reached = .min
                continue
            }
            report.add(try await persist(page, askedWith: cursor))
            guard page.hasMore else { return page.upTo }
            // Versions grow from page to page, so a round ends, whatever the server says.
            let newest = page.changes.map(\.version).max() ?? .min
            idlePages = newest > reached ? 0 : idlePages + 1
            reached = max(reached, newest)
            guard idlePages < Self.mostIdlePages, page.cursor != cursor || !page.changes.isEmpty else {
                throw .unexpected("The server sends pages without anything new; report it to the server's operator.")
            }
            cursor = page.cursor
        }
    }

    /// Pages in a row that may bring nothing newer than those before.
    private static let mostIdlePages = 100

    /// One page of the remote side (O2).
    private func fetchRemote(after cursor: String?) async throws(NetworkError) -> ChangesPage {
        if Task.isCancelled { throw NetworkError(.cancelled) }
        return try await client.send(PullChanges(cursor: cursor, limit: settings.pageSize))
    }

    static func asksForReplacement(_ error: NetworkError) -> Bool {
        SyncCode.endsCursor.contains(error.problem?.code ?? "")
    }

    /// The cursor to go on with; `nil` also when this program keeps other collections than the one that stored it, since
    /// rows of the new ones have never been fetched.
    func storedCursor() async throws(DomainError) -> String? {
        let known = knownCollections
        return try await database.read { db in
            let sql = "SELECT cursor FROM cursor WHERE collections = ?"
            return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [known])
        }
    }

    private var knownCollections: String { database.collections.keys.sorted().joined(separator: " ") }

    /// Stores a page and the cursor behind it in one transaction (O2), so that the cursor is never ahead of the rows.
    private func persist(_ page: ChangesPage, askedWith cursor: String?) async throws(DomainError) -> SyncReport {
        let collections = Set(database.collections.keys)
        let known = knownCollections
        return try await access { access in
            let db = access.tables.db
            if cursor == nil, page.isReplacement {
                access.round += 1
                try db.execute(sql: "UPDATE cursor SET replacing = 1, round = ?", arguments: [access.round])
                try db.execute(sql: "DELETE FROM seen")
            }
            let isReplacing = try Bool.fetchOne(db.cachedStatement(sql: "SELECT replacing FROM cursor")) ?? false
            let busy = try Self.busyEntities(db)
            var report = SyncReport()
            for remote in page.changes where collections.contains(remote.collection) {
                let local = try access.fetchLocal(remote.key, isQuiet: !busy.contains(remote.key))
                let decision = SyncPlanner.reconcile(
                    local: local, remote: remote, replacing: isReplacing, access.fresh(remote.collection))
                try access.persist(decision.state, over: local, isLocal: false)
                if isReplacing, busy.contains(remote.key) { try access.tables.setSeen(remote.key) }
                report.add(decision.report)
            }
            if !page.hasMore {
                if isReplacing { report.add(try Self.dropUnseen(access, upTo: page.upTo)) }
                let end = try db.cachedStatement(sql: "UPDATE cursor SET replacing = 0, last_synced_at = ?")
                try end.execute(arguments: [access.now.milliseconds])
            }
            let place = try db.cachedStatement(sql: "UPDATE cursor SET cursor = ?, collections = ?")
            try place.execute(arguments: [page.cursor, known])
            return report
        }
    }

    /// Entities with anything that is not settled.
    private static func busyEntities(_ db: Database) throws -> Set<EntityKey> {
        let sql = """
            SELECT collection, entity_id FROM outbox UNION SELECT collection, entity_id FROM conflict
            UNION SELECT collection, entity_id FROM parked
            """
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
        var keys: Set<EntityKey> = []
        while let row = try rows.next() { keys.insert(EntityKey(collection: row[0], id: row[1])) }
        return keys
    }

    /// At the end of a replacement round, rows that no page brought are gone; unsynchronised writes to them are kept.
    ///
    /// - Parameter upTo: The version up to which the round showed everything.
    private static func dropUnseen(_ access: EntityAccess, upTo: Int?) throws -> SyncReport {
        let rows = try Row.fetchAll(
            access.tables.db,
            sql: """
                SELECT collection, entity_id, version FROM shadow WHERE round < ?
                UNION ALL
                SELECT collection, entity_id, version FROM (
                    SELECT collection, entity_id, version FROM conflict
                    UNION SELECT collection, entity_id, version FROM parked) AS remote
                WHERE NOT EXISTS (SELECT 1 FROM shadow WHERE collection = remote.collection
                        AND entity_id = remote.entity_id)
                    AND NOT EXISTS (SELECT 1 FROM seen WHERE collection = remote.collection
                        AND entity_id = remote.entity_id)
                """,
            arguments: [access.round])
        var report = SyncReport()
        for row in rows {
            let key = EntityKey(collection: row[0], id: row[1])
            let local = try access.fetchLocal(key)
            let decision = SyncPlanner.reconcile(
                local: local, remote: .tombstone(key, version: upTo ?? row[2], at: access.now), replacing: true,
                access.fresh(key.collection))
            try access.persist(decision.state, over: local, isLocal: false)
            report.add(decision.report)
        }
        return report
    }
}
