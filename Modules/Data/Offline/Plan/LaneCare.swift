import FoundationEssentials
import StrataDomain

/// What a person may do with one entry of a lane.
enum LaneCare {
    /// The row without the entry and without what was written after it, which may depend on it.
    static func discarding(_ id: Mutation.ID, in local: EntityState, _ fresh: SyncPlanner.Fresh) -> EntityState {
        guard let index = local.lane.firstIndex(where: { $0.id == id }) else { return local }
        var next = local
        next.lane.removeSubrange(index...)
        guard next.lane.first?.state != .inflight, let remote = local.dispute?.remote ?? local.parked else {
            return next
        }
        return SyncPlanner.settle(next, onto: remote, fresh).state
    }

    /// The row with the entry ready to be sent.
    ///
    /// - Throws: `.conflict` for an entry that waits for the resolution of a conflict.
    static func retrying(
        _ id: Mutation.ID, in local: EntityState, _ fresh: SyncPlanner.Fresh
    ) throws(DomainError) -> EntityState {
        guard let index = local.lane.firstIndex(where: { $0.id == id }) else { return local }
        var next = local
        switch next.lane[index].state {
        case .pending, .inflight: next.lane[index].nextAttemptAt = nil
        // The server has stored its refusal under the old id.
        case .rejected: next.lane[index] = next.lane[index].renewed(fresh.mutationId)
        case .conflicted:
            throw .conflict(
                "Entry '\(id)' waits for conflict '\(local.dispute?.id ?? "?")'; resolve that one to send or drop it.")
        }
        return next
    }
}
