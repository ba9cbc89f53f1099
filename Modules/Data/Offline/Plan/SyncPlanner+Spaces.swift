import StrataDomain

extension SyncPlanner {
    /// The row without anything that the server sent of it; its unsent writes are refused, and stay until the user discards them. A
    /// sent one without an answer counts as unsent: its answer changes nothing any more.
    static func withdrawn(_ reason: String, from local: EntityState) -> Decision {
        var decision = Decision(state: local)
        decision.state.base = nil
        decision.state.deferredRemote = nil
        decision.state.openConflict = nil
        decision.state.queue = local.queue.map { entry in
            guard entry.state != .rejected else { return entry }
            var refused = entry.marked(.rejected)
            refused.error = reason
            return refused
        }
        decision.report.rejected = decision.state.queue == local.queue ? 0 : 1
        decision.report.pulled = local.base == nil ? 0 : 1
        return decision
    }
}
