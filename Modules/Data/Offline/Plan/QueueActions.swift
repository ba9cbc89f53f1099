import FoundationEssentials
import StrataDomain

/// What becomes of a queue when a user acts on one of its entries, or when two local rows turn out to be one.
enum QueueActions {
    /// The row without the entry and the later ones, which may depend on it.
    static func discarding(_ id: Mutation.ID, in local: EntityState, _ context: SyncPlanner.Context) -> EntityState {
        guard let index = local.queue.firstIndex(where: { $0.id == id }) else { return local }
        var next = local
        next.queue.removeSubrange(index...)
        guard next.queue.first?.state != .inflight, let remote = local.openConflict?.remote ?? local.deferredRemote
        else {
            return next
        }
        return SyncPlanner.settle(next, onto: remote, context).state
    }

    /// The row with the entry ready to be sent.
    ///
    /// - Throws: `.conflict` for an entry that waits for the resolution of a conflict.
    static func retrying(
        _ id: Mutation.ID, in local: EntityState, _ context: SyncPlanner.Context
    ) throws(DomainError) -> EntityState {
        guard let index = local.queue.firstIndex(where: { $0.id == id }) else { return local }
        var next = local
        switch next.queue[index].state {
        case .pending, .inflight: next.queue[index].nextAttemptAt = nil
        // The server has stored its refusal under the old id.
        case .rejected: next.queue[index] = next.queue[index].renewed(context.mutationId)
        case .conflicted:
            throw .conflict(
                "Write '\(id)' waits for conflict '\(local.openConflict?.id ?? "?")'; resolve that one to send or drop it."
            )
        }
        return next
    }

    /// A row and its copy as one row. A conflict of the copy is not forgotten: it is judged again with the row as it is now.
    static func joined(_ own: EntityState, _ copy: EntityState, _ context: SyncPlanner.Context) -> EntityState {
        var next = own
        next.queue = joining(own, copy)
        guard let conflict = copy.openConflict, own.openConflict == nil, let base = own.base,
            !Set(next.queue.map(\.id)).isDisjoint(with: copy.queue.map(\.id))
        else { return next }
        let present = SyncChange(
            collection: own.key.collection, id: own.key.id, version: base.version, updatedAt: base.updatedAt,
            operation: .put, data: base.data)
        next.openConflict = conflict
        if conflict.remote.content == nil { return SyncPlanner.madeAgain(next, as: present).state }
        next.base = copy.base
        return SyncPlanner.settle(next, onto: present, context).state
    }

    /// The writes of a row and of its copy as one queue, in the order in which a user made them.
    ///
    /// A write of the copy that was sent, and whose answer is unknown, goes first: it may have taken effect, and has to be repeated as it was.
    /// An earlier write must not follow it with an older value, so it loses the fields that the sent one has. A deletion of one of the two
    /// gives way while the other is shown: who deletes one of two equal rows wants the other.
    private static func joining(_ own: EntityState, _ copy: EntityState) -> [OutboxEntry] {
        func remaining(_ state: EntityState, beside other: EntityState) -> ArraySlice<OutboxEntry> {
            guard let last = state.queue.last, last.mutation.operation == .delete, other.row != nil else {
                return state.queue[...]
            }
            return state.queue.dropLast(last.state == .pending || last.state == .conflicted ? 1 : 0)
        }
        let kept = remaining(own, beside: copy)
        let moved = remaining(copy, beside: own).map { entry in
            var entry = entry
            if own.openConflict == nil, entry.state == .conflicted { entry = entry.marked(.pending) }
            if own.openConflict != nil, entry.state == .pending { entry = entry.marked(.conflicted) }
            entry.mutation.entityId = own.key.id
            // The versions of the copy were counted for themselves.
            entry.mutation.baseVersion = entry.mutation.operation == .create ? nil : own.base?.version
            return entry
        }
        let all = (kept + moved).sorted { $0.mutation.clientSeq < $1.mutation.clientSeq }
        guard let sent = moved.first, sent.state == .inflight, kept.allSatisfy({ $0.state == .pending }) else {
            return all
        }
        let others = all.compactMap { entry -> OutboxEntry? in
            guard entry.id != sent.id else { return nil }
            return entry.mutation.clientSeq < sent.mutation.clientSeq ? entry.giving(wayTo: sent.mutation) : entry
        }
        return zip([sent] + others, all.map(\.mutation.clientSeq)).map { entry, position in
            var entry = entry
            entry.mutation.clientSeq = position
            return entry
        }
    }
}

extension OutboxEntry {
    /// What is left of an earlier write to the same row; `nil` for nothing.
    fileprivate func giving(wayTo later: Mutation) -> OutboxEntry? {
        var entry = self
        switch (mutation.operation, later.operation) {
        case (_, .delete): return nil
        case (.delete, _): return self
        case (.create, _): entry.mutation.fields.merge(later.fields) { $1 }
        case (.patch, _):
            entry.mutation.fields = mutation.fields.filter { later.fields[$0.key] == nil }
            if entry.mutation.fields.isEmpty { return nil }
        }
        return entry
    }
}
