import GRDB
public import StrataDomain

/// The outbox as a user sees it.
extension OfflineStore: Outbox {
    public func entries(after position: Int, limit: Int) async throws(DomainError) -> [OutboxEntry] {
        try await read { db in
            let sql = "\(OutboxRow.selection) WHERE client_seq > ? ORDER BY client_seq LIMIT ?"
            return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [position, limit]).map(OutboxRow.shown)
        }
    }

    /// Makes an entry ready to be sent by the next run; a refused one gets a new id, since the server has stored its
    /// refusal under the old one.
    ///
    /// - Throws: `.notFound` for an unknown id, `.conflict` for an entry whose conflict is open.
    public func retry(_ id: Mutation.ID) async throws(DomainError) {
        try await change(id) { local, context throws(DomainError) in try QueueActions.retrying(id, in: local, context) }
    }

    /// Deletes an entry and all later ones of the same row, which may depend on it. The row has its earlier state again, and
    /// is deleted when the entry created it.
    ///
    /// The server may have applied the entry already: then the next sync brings its effect.
    ///
    /// - Throws: `.notFound` for an unknown id.
    public func discard(_ id: Mutation.ID) async throws(DomainError) {
        let isDamaged = try await access { access in
            let sql = "SELECT collection, entity_id, client_seq FROM outbox WHERE mutation_id = ?"
            guard let row = try Row.fetchOne(access.tables.db, sql: sql, arguments: [id]) else { return false }
            let key = EntityKey(collection: row[0], id: row[1])
            // It may be the last text of a space that the user left.
            if access.collections[key.collection]?.isInSpaces == true { try access.requestErasure() }
            guard try access.tables.damage(key) != nil else { return false }
            try access.tables.discardDamaged(key, from: row[2])
            _ = try access.repairRows(of: [key.collection])
            return true
        }
        if !isDamaged {
            try await change(id) { local, context in QueueActions.discarding(id, in: local, context) }
        }
    }

    private func change(_ id: Mutation.ID, _ next: NextState) async throws(DomainError) {
        try await change(
            "outbox WHERE mutation_id = ?", id, or: .notFound("No write '\(id)' is in the outbox."), next)
    }
}
