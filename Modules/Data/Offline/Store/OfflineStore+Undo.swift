import GRDB
import StrataConcurrency
public import StrataDomain

extension OfflineStore: WriteUndo {
    /// Takes back the last write of this store, in one transaction. A write that waits to be sent is changed or removed in the outbox;
    /// of one that was sent, the inverse is queued as a write of its own.
    ///
    /// - Throws: `.notFound` when there is no write to undo; `.conflict` when its row was changed since, or its deletion took other rows
    ///   with it.
    public func undo() async throws(DomainError) -> UndoneWrite {
        try await access { access in
            let db = access.tables.db
            guard let last = try LastWrite.read(db) else {
                throw DomainError.notFound(
                    "There is no write to undo: it was undone already, or nothing was written here.")
            }
            if let obstacle = last.obstacle { throw DomainError.conflict(obstacle) }
            let undone = try last.undo(access)
            try LastWrite.forget(db)
            return undone
        }
    }

    /// As `undo`, and lets an inverse that is queued reach the server.
    ///
    /// - Parameter settle: Waits a short time for that.
    /// - Throws: `.conflict` also when the server refuses the inverse within that time, or has another change of the row. The inverse is
    ///   made then, so what is read afterwards fails nothing.
    func undo(settle: @Sendable () async -> Void) async throws(DomainError) -> UndoneWrite {
        var undone = try await undo()
        let id: String
        switch undone.outcome {
        case .removedFromOutbox, .inverseSent: return undone
        case .inverseQueued: id = undone.entityId
        case .createdAgain(let other): id = other
        }
        await settle()
        let collection = undone.collection
        let found = try? await shielded { () async throws(DomainError) in try await obstacle(collection, id) }
        switch found ?? nil {
        case (.rejected, let reason)?:
            throw .conflict(
                "The server refuses to undo \(undone.name): \(reason.asSentence) The refused write of '\(id)' is in the outbox: send it again "
                    + "from there, or discard it."
            )
        case (_, _)?:
            throw .conflict("Undoing \(undone.name) meets a change of it on the server; resolve the conflict.")
        case nil: break
        }
        let states = try? await shielded { () async throws(DomainError) in
            try await read { try OfflineStore.queueStates(collection, ids: [id], in: $0) }
        }
        if let states, states[id] == nil, undone.outcome == .inverseQueued { undone.outcome = .inverseSent }
        return undone
    }
}

extension LastWrite {
    fileprivate func undo(_ access: EntityAccess) throws -> UndoneWrite {
        let (old, before, after) = (
            try access.fetchLocal(key), try before.map(FieldText.decode), try after.map(FieldText.decode)
        )
        guard Self.isSame(old.row, after) else {
            throw DomainError.conflict(
                "'\(entityId)' in \(collection) was changed after the last write here, so undoing it would take back another "
                    + "change. Edit it instead.")
        }
        guard old.openConflict == nil else {
            throw DomainError.conflict("'\(entityId)' in \(collection) has a conflict; resolve that one instead.")
        }
        switch (before, after) {
        case (nil, _):
            let changes = access.tables.db.totalChangesCount
            try access.release(key)
            guard access.tables.db.totalChangesCount == changes else {
                throw DomainError.conflict(
                    "Other rows name '\(entityId)' in \(collection) by now; change or delete them first.")
            }
            return try put(LocalWrite(operation: .delete, fields: [:]), on: old, .create, access)
        case (let before?, let after?):
            let gone = Set(after.keys).subtracting(before.keys)
            let fields = before.merging(gone.map { ($0, .null) }) { value, _ in value }
            return try put(LocalWrite(operation: .patch, fields: fields), on: old, .patch, access)
        case (let before?, nil): return try restore(before, old, access)
        }
    }

    private static func isSame(_ row: [String: JSONValue]?, _ other: [String: JSONValue]?) -> Bool {
        guard let row, let other else { return row == nil && other == nil }
        // The server may have added values that are not written here, such as the author.
        return other.allSatisfy { row[$0.key] == $0.value }
    }

    private func put(
        _ write: LocalWrite, on old: EntityState, _ operation: Mutation.Operation, _ access: EntityAccess
    ) throws -> UndoneWrite {
        let next = try write.planned(on: old, seq: try access.nextSeq(), access.context(collection))
        try access.persist(next, over: old, isLocal: true)
        let isQueued = next.queue.contains { entry in !old.queue.contains { $0.id == entry.id } }
        return UndoneWrite(operation, collection, entityId, outcome: isQueued ? .inverseQueued : .removedFromOutbox)
    }

    /// Makes a deleted row again.
    private func restore(
        _ before: [String: JSONValue], _ old: EntityState, _ access: EntityAccess
    ) throws -> UndoneWrite {
        // The deletion was not sent: without it the row is there again.
        if let last = old.queue.last, last.mutation.operation == .delete, last.state != .inflight {
            var next = QueueActions.discarding(last.id, in: old, access.context(collection))
            // An edit that was folded into the deletion is gone with it.
            if next.row != nil {
                let edit = LocalWrite(operation: .patch, fields: before)
                next = try edit.planned(on: next, seq: try access.nextSeq(), access.context(collection))
            }
            try access.persist(next, over: old, isLocal: true)
            return UndoneWrite(.delete, collection, entityId, outcome: .removedFromOutbox)
        }
        // The server has deleted it, or is about to: there its id cannot be used again.
        let id = isWithoutTrace ? entityId : access.random.id(at: access.now)
        let key = EntityKey(collection: collection, id: id)
        let create = LocalWrite(operation: .create, fields: before)
        let empty = EntityState(key: key)
        let next = try create.planned(on: empty, seq: try access.nextSeq(), access.context(collection))
        try access.persist(next, over: empty, isLocal: true)
        return UndoneWrite(
            .delete, collection, entityId, outcome: isWithoutTrace ? .inverseQueued : .createdAgain(id: id))
    }
}
