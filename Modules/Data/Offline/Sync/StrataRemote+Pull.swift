import FoundationEssentials
import GRDB
import Logging
import StrataDomain

extension StrataRemote {
    /// Fetches all pages of changes; each is stored together with its cursor. Without an accepted cursor, a snapshot comes
    /// first.
    ///
    /// A run starts at most one replacement round.
    ///
    /// - Returns: The version up to which everything is here; `nil` from a server that does not tell.
    @discardableResult
    func pull(_ report: inout SyncReport) async throws(DomainError) -> Int? {
        var cursor = try await storedCursor()
        let client = try await database.read {
            try String.fetchOne($0.cachedStatement(sql: "SELECT client_id FROM client"))
        }
        var mayRestart = true
        var (reached, idlePages) = (Int.min, 0)
        var isInterrupted = false
        if cursor != nil { isInterrupted = try await storedPage() != nil }
        if cursor == nil || isInterrupted { cursor = try await replaced(&report) }
        while true {
            let page: ChangesPage
            do { page = try await fetchRemote(after: cursor, for: client) } catch {
                guard mayRestart, cursor != nil, Self.asksForReplacement(error) else {
                    throw DomainError(error)
                }
                log.info("The server asks for a replacement round.", metadata: ["reason": "\(error)"])
                mayRestart = false
                cursor = try await replaced(&report)
                reached = .min
                continue
            }
            report.add(try await persist(page, askedWith: cursor))
            if report.pulled > 0 { onProgress(.receiving(report.pulled)) }
            guard page.hasMore else { return page.upTo }
            // Versions grow from page to page, so a round ends even if the server never says so.
            let newest = page.changes.map(\.version).max() ?? .min
            idlePages = newest > reached ? 0 : idlePages + 1
            reached = max(reached, newest)
            guard idlePages < Self.mostIdlePages, page.cursor != cursor || !page.changes.isEmpty else {
                throw .unexpected("The server sends pages without anything new; report it to the server's operator.")
            }
            cursor = page.cursor
        }
    }

    /// Consecutive pages without a newer version.
    private static let mostIdlePages = 100

    /// Takes a snapshot.
    ///
    /// - Returns: The cursor behind it; `nil` where the server has none, to begin with pages.
    private func replaced(_ report: inout SyncReport) async throws(DomainError) -> String? {
        switch try await takeSnapshot(&report) {
        case .complete: try await storedCursor()
        case .unknown: nil
        }
    }

    /// One page of the remote side (O2).
    private func fetchRemote(after cursor: String?, for client: String?) async throws(NetworkError) -> ChangesPage {
        if Task.isCancelled { throw NetworkError(.cancelled) }
        let page = try await self.client.send(
            PullChanges(
                cursor: cursor, limit: settings.pageSize, collections: wantedCollections, clientId: client))
        try CursorLimit.check(page.cursor)
        return page
    }

    /// Whether a request may pass without its cursor: the server refuses it, or it is too long for a URL.
    static func asksForReplacement(_ error: NetworkError) -> Bool {
        if error.isFromRefresh { return false }
        if case .status(413, _) = error.kind { return true }
        if case .status(414, _) = error.kind { return true }
        if case .status(431, _) = error.kind { return true }
        return SyncCode.endsCursor.contains(error.problem?.code ?? "")
    }

    /// Stores a page and the cursor behind it in one transaction (O2), so that the cursor is never ahead of the rows.
    private func persist(_ page: ChangesPage, askedWith cursor: String?) async throws(DomainError) -> SyncReport {
        let collections = Set(database.collections.keys)
        let known = knownCollections
        return try await access { access in
            let db = access.tables.db
            if cursor == nil, page.isReplacement {
                try access.beginSnapshot()
            }
            let isReplacing = try Bool.fetchOne(db.cachedStatement(sql: "SELECT replacing FROM cursor")) ?? false
            let busy = try BusyEntities(db)
            var report = SyncReport()
            for remote in page.changes where collections.contains(remote.collection) {
                let remote = access.present(remote)
                let isBusy = try busy.contains(remote.key)
                guard let local = try access.fetchIntact(remote.key, isQuiet: !isBusy, else: remote) else {
                    if isReplacing { try access.tables.setSeen(remote.key) }
                    continue
                }
                let decision = SyncPlanner.reconcile(
                    local: local, remote: remote, replacing: isReplacing, access.context(remote.collection))
                try access.persist(decision.state, over: local, isLocal: false)
                if isReplacing, isBusy { try access.tables.setSeen(remote.key) }
                report.add(decision.report)
            }
            if !page.hasMore {
                if isReplacing { report.add(try access.dropUnseen(upTo: page.upTo)) }
                let end = try db.cachedStatement(sql: "UPDATE cursor SET replacing = 0, last_synced_at = ?")
                try end.execute(arguments: [access.now.milliseconds])
            }
            let place = try db.cachedStatement(sql: "UPDATE cursor SET cursor = ?, collections = ?")
            try place.execute(arguments: [page.cursor, known])
            return report
        }
    }
}
