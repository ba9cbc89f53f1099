import FoundationEssentials
import StrataDomain

extension SyncPlanner {
    /// Makes `remote` the base row with the queue on top of it, or opens a conflict and leaves everything as it is.
    ///
    /// Only for a queue whose first entry was answered or never sent.
    static func settle(_ local: EntityState, onto remote: SyncChange, _ context: Context) -> Decision {
        var decision = Decision(state: local)
        if remote.content != nil, local.openConflict?.reason == madeAgain, !local.queue.isEmpty {
            return Self.madeAgain(local, as: remote)
        }
        // Deletions that the server has refused are not shown, so there is nothing to merge.
        if remote.content != nil, !local.queue.isEmpty, local.queue.allSatisfy(\.isRefusedDeletion) {
            decision.state.base = remote.base(round: context.round)
            decision.state.deferredRemote = nil
            return decision
        }
        var intent = LocalIntent(local.queue)
        // Of a row that was deleted before the answer to its create: the server has such a row, so the deletion counts.
        if intent == .nothing, remote.content != nil, local.queue.last?.mutation.operation == .delete {
            intent = .delete
        }
        switch intent.settled(from: local.base?.data, onto: remote.content, by: context.policy) {
        case .agreed(let intent):
            decision.state.base = remote.base(round: context.round)
            decision.state.queue =
                rebuilt(local.queue, for: intent, on: decision.state.base, context) ?? local.queue
            decision.state.openConflict = nil
            decision.state.deferredRemote = nil
            decision.report.merged = intent == .nothing ? 0 : 1
        case .conflict(let fields, let reason):
            let known = local.openConflict
            decision.state.openConflict = OpenConflict(
                id: known?.id ?? context.conflictId, remote: remote, fields: fields, reason: reason,
                createdAt: known?.createdAt ?? context.now)
            decision.state.queue = local.queue.map { $0.marked(.conflicted) }
            decision.state.deferredRemote = nil
            decision.report.conflicts = known == nil ? 1 : 0
        }
        return decision
    }

    /// The stored reason by which such a conflict is known. With another wording, conflicts that an earlier version stored would be merged.
    private static let madeAgain = "Edited here, deleted and made again on the server."

    /// Leaves an edit of a deleted row to the user when the row is there again. It may be another row under the same key, and the edit may have
    /// taken effect before the deletion.
    static func madeAgain(_ local: EntityState, as remote: SyncChange) -> Decision {
        var decision = Decision(state: local)
        decision.state.openConflict?.remote = remote
        decision.state.openConflict?.reason = madeAgain
        decision.state.queue = local.queue.map { $0.marked(.conflicted) }
        decision.state.deferredRemote = nil
        return decision
    }

    /// Ends a conflict in favour of one side: the local edits are sent on top of the remote row, or dropped.
    static func resolve(_ local: EntityState, keeping side: SyncConflict.Side, _ context: Context) -> EntityState {
        guard let remote = local.openConflict?.remote else { return local }
        var next = local
        next.base = remote.base(round: context.round)
        next.openConflict = nil
        let intent =
            side == .remote ? .nothing : LocalIntent(local.queue).prevailing(over: remote.content, row: local.row)
        next.queue = rebuilt(local.queue, for: intent, on: next.base, context) ?? []
        return next
    }

    /// One entry, or none, for the whole queue, based on the base row as it is now.
    ///
    /// An id that was never sent, or whose entry waits as refused, stays; any other id has a stored response at the server
    /// and is replaced.
    ///
    /// - Returns: `nil` for an intent that takes two writes.
    static func rebuilt(
        _ queue: [OutboxEntry], for intent: LocalIntent, on base: BaseRow?, _ context: Context
    ) -> [OutboxEntry]? {
        guard let first = queue.first, let last = queue.last else { return [] }
        let (operation, fields): (Mutation.Operation, [String: JSONValue])
        switch intent {
        case .nothing: return []
        case .create(let content): (operation, fields) = (.create, content)
        case .patch(let edits): (operation, fields) = (.patch, edits)
        case .delete: (operation, fields) = (.delete, [:])
        case .replace: return nil
        }
        var entry = first
        let isKept = queue.count == 1 && (first.state == .pending || first.state == .rejected)
        if !isKept { entry = first.renewed(context.mutationId) }
        entry.mutation.operation = operation
        entry.mutation.fields = fields
        entry.mutation.baseVersion = operation == .create ? nil : base?.version
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
