import FoundationEssentials
package import StrataDomain

extension OfflineEntityRepository: ImportingRepository {
    /// The store has every entity that the last synchronisation brought.
    package var completeRead: ReadPolicy { .cacheFirst }

    /// In one transaction: the rows and their entries in the outbox. Does not wait for the server.
    package func store(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome] {
        guard isTrial else { return try await store.importAll(rows, context, at: clock.now) }
        return try await store.read { db in
            let tables = EntityTables(db: db)
            return try rows.map { row in
                do { return try PlannedRow(row, in: tables, context)?.outcome ?? .unchanged } catch let error
                    as DomainError
                { return try ImportOutcome.refusal(error) }
            }
        }
    }
}

extension OfflineStore {
    fileprivate func importAll<Content: Entity>(
        _ rows: [ImportRow<Content>], _ context: NewEntityContext, at now: Date
    ) async throws(DomainError) -> [ImportOutcome] {
        try await access(at: now) { access in
            let outcomes: [ImportOutcome] = try rows.map { row in
                let plan: PlannedRow
                let (old, next): (EntityState, EntityState)
                do {
                    guard let planned = try PlannedRow(row, in: access.tables, context) else { return .unchanged }
                    plan = planned
                    old = try plan.isKnown ? access.fetchLocal(plan.key) : EntityState(key: plan.key)
                    next = try plan.write.planned(
                        on: old, seq: access.nextSeq(), access.context(plan.key.collection))
                } catch let error as DomainError { return try ImportOutcome.refusal(error) }
                // Nothing was written yet for a row that is refused.
                if plan.isKnown { try access.persist(next, over: old, isLocal: true) } else { try access.insert(next) }
                return plan.outcome
            }
            let written = outcomes.count { $0 == .created || $0 == .updated }
            if written > 0 { try LastWrite(importOf: written, into: Content.collection).store(access.tables.db) }
            return outcomes
        }
    }
}

/// What a row of an import writes.
private struct PlannedRow {
    let key: EntityKey
    let write: LocalWrite
    let outcome: ImportOutcome
    /// Whether the store has heard of the entity.
    let isKnown: Bool

    /// - Returns: `nil` for a row that writes nothing.
    /// - Throws: `.validation` and `.conflict` as `ImportRow.step`.
    init?<Content: Entity>(_ row: ImportRow<Content>, in tables: EntityTables, _ context: NewEntityContext) throws {
        let id = row.id ?? Identifier(row.name)
        key = EntityKey(collection: Content.collection, id: id.rawValue)
        isKnown = try tables.isKnown(key)
        let stored = isKnown ? try EntityRow<Content>.entity(id, in: tables.db) : nil
        // An earlier import created it, and its removal waits to be sent.
        if isKnown, stored == nil, row.id == nil { return nil }
        switch try row.step(over: stored, context) {
        case .none: return nil
        case .create(let content):
            (write, outcome) = (LocalWrite(operation: .create, fields: try content.wireFields()), .created)
        case .update(_, let content):
            (write, outcome) = (LocalWrite(operation: .patch, fields: try content.completeFields()), .updated)
        }
    }
}
