import FoundationEssentials
import StrataDomain

/// The actions of a user on one entry of a queue.
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
}
