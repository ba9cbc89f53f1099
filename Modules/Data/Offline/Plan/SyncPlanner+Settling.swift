import FoundationEssentials
import StrataDomain

extension SyncPlanner {
    /// Makes `remote` the agreed row with the lane on top of it, or opens a conflict and leaves everything as it is.
    ///
    /// Only for a lane whose first entry was answered or never sent.
    static func settle(_ local: EntityState, onto remote: SyncChange, _ fresh: Fresh) -> Decision {
        var decision = Decision(state: local)
        switch LocalIntent(local.lane).settled(from: local.shadow?.data, onto: remote.content, by: fresh.policy) {
        case .agreed(let intent):
            decision.state.shadow = remote.shadow(round: fresh.round)
            decision.state.lane =
                rebuilt(local.lane, for: intent, on: decision.state.shadow, fresh) ?? local.lane
            decision.state.dispute = nil
            decision.state.parked = nil
            decision.report.merged = intent == .nothing ? 0 : 1
        case .disputed(let fields, let reason):
            let known = local.dispute
            decision.state.dispute = Dispute(
                id: known?.id ?? fresh.conflictId, remote: remote, fields: fields, reason: reason,
                createdAt: known?.createdAt ?? fresh.now)
            decision.state.lane = local.lane.map { $0.marked(.conflicted) }
            decision.state.parked = nil
            decision.report.conflicts = known == nil ? 1 : 0
        }
        return decision
    }

    /// Ends a conflict in favour of one side: either what is here is sent on top of the remote row, or it is dropped.
    static func resolve(_ local: EntityState, keeping side: SyncConflict.Side, _ fresh: Fresh) -> EntityState {
        guard let remote = local.dispute?.remote else { return local }
        var next = local
        next.shadow = remote.shadow(round: fresh.round)
        next.dispute = nil
        let intent =
            side == .remote ? .nothing : LocalIntent(local.lane).prevailing(over: remote.content, row: local.row)
        next.lane = rebuilt(local.lane, for: intent, on: next.shadow, fresh) ?? []
        return next
    }

    /// One entry, or none, for the whole lane, based on the agreed row as it is now.
    ///
    /// An id that was never sent, or whose entry waits as refused, stays; any other id has a stored answer at the server
    /// and is replaced.
    ///
    /// - Returns: `nil` for an intent that takes two writes.
    static func rebuilt(
        _ lane: [OutboxEntry], for intent: LocalIntent, on shadow: Shadow?, _ fresh: Fresh
    ) -> [OutboxEntry]? {
        guard let first = lane.first, let last = lane.last else { return [] }
        let (operation, fields): (Mutation.Operation, [String: JSONValue])
        switch intent {
        case .nothing: return []
        case .create(let content): (operation, fields) = (.create, content)
        case .patch(let edits): (operation, fields) = (.patch, edits)
        case .delete: (operation, fields) = (.delete, [:])
        case .replace: return nil
        }
        var entry = first
        let isKept = lane.count == 1 && (first.state == .pending || first.state == .rejected)
        if !isKept { entry = first.renewed(fresh.mutationId) }
        entry.mutation.operation = operation
        entry.mutation.fields = fields
        entry.mutation.baseVersion = operation == .create ? nil : shadow?.version
        entry.mutation.at = last.mutation.at
        return [entry]
    }
}

extension OutboxEntry {
    func marked(_ state: State) -> OutboxEntry {
        var entry = self
        entry.state = state
        entry.nextAttemptAt = nil
        return entry
    }

    /// The same write under another id, as if it had never been sent.
    func renewed(_ id: Mutation.ID) -> OutboxEntry {
        var mutation = mutation
        mutation.id = id
        return OutboxEntry(mutation: mutation, state: .pending, attempts: 0, nextAttemptAt: nil, error: nil)
    }
}

extension SyncReport {
    mutating func add(_ other: SyncReport) {
        pushed += other.pushed
        pulled += other.pulled
        merged += other.merged
        conflicts += other.conflicts
        rejected += other.rejected
    }
}
