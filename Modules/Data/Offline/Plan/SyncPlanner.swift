import FoundationEssentials
import StrataDomain

/// Decides the next state of a row after a response or a remote change. Pure.
enum SyncPlanner {
    /// The next state of a row, and its part of the report.
    struct Decision: Hashable, Sendable {
        var state: EntityState
        var report = SyncReport()
    }

    /// The other inputs of a decision: new ids, the time, the round and the policy.
    struct Context: Hashable, Sendable {
        var mutationId: String
        var conflictId: String
        var now: Date
        /// The present replacement round.
        var round: Int
        /// Of the row's collection.
        var policy = MergePolicy()
    }

    /// Merges a remote row into the local state (O2, O3).
    ///
    /// Without unsynchronised writes the remote row wins when its version is newer. With such writes it becomes the merge
    /// base, and the writes are rebased on it, field by field; a user resolves fields that cannot be merged. While the answer to a sent
    /// write is unknown, the remote row is deferred. Clocks play no part.
    ///
    /// - Parameter replacing: The server shows all it has: an older version counts too, unless this round already showed a
    ///   newer one.
    static func reconcile(
        local: EntityState, remote: SyncChange, replacing: Bool = false, _ context: Context
    ) -> Decision {
        var next = local
        let wasSeen = local.base.map { $0.round == context.round } ?? false
        next.base?.round = context.round
        let takesAny = replacing && !wasSeen
        if let known = local.openConflict?.remote ?? local.deferredRemote {
            // The base row is the base then, and may be of earlier data of the server, before a restore: it is not compared.
            let isOld = remote.version < known.version && !takesAny
            let isSame = remote.version == known.version && remote.content == known.content
            if isOld || isSame { return Decision(state: next) }
        } else if let base = local.base {
            if remote.version < base.version, !takesAny { return Decision(state: next) }
            if remote.version == base.version, let content = remote.content {
                // Our own write came back, perhaps normalised by the server: nothing changes.
                next.base = BaseRow(
                    version: remote.version, updatedAt: remote.updatedAt, data: content, round: context.round)
                return Decision(state: next)
            }
        }
        if local.queue.first?.state == .inflight {
            next.deferredRemote = remote
            return Decision(state: next)
        }
        if local.base == nil, local.queue.isEmpty, remote.content == nil { return Decision(state: next) }
        var decision = settle(next, onto: remote, context)
        decision.report.pulled = 1
        return decision
    }

    /// Applies the result of the first entry of the queue; the result of any other mutation changes nothing.
    static func acknowledge(_ result: MutationResult, in local: EntityState, _ context: Context) -> Decision {
        guard let head = local.queue.first, head.id == result.id else { return Decision(state: local) }
        return switch result.status {
        case .applied: applied(head.mutation, result, in: local, context)
        case .conflict: conflicting(head.mutation, result, in: local, context)
        case .rejected where result.error?.code == SyncCode.referenceDeleted:
            naming(deleted: result.error, in: local, context)
        case .rejected where result.error?.code == SyncCode.notAMember:
            withdrawn(result.error.map(explanation) ?? "", from: local)
        case .rejected: rejected(result.error.map(explanation) ?? "The server gave no reason.", in: local, context)
        case .deferred: Decision(state: local)
        }
    }

    /// Marks the first entry as refused for good. Later writes are merged with it and sent as a new
    /// write, since it may well be the correction.
    static func rejected(_ reason: String, in local: EntityState, _ context: Context) -> Decision {
        guard let head = local.queue.first else { return Decision(state: local) }
        var decision = Decision(state: local)
        let intent = LocalIntent(local.queue)
        if local.queue.count > 1, case .some(let queue) = rebuilt(local.queue, for: intent, on: local.base, context) {
            decision.state.queue = queue
        } else {
            var refused = head
            refused.state = .rejected
            refused.nextAttemptAt = nil
            refused.error = reason
            decision.state.queue[0] = refused
        }
        decision.report.rejected = 1
        return settlingDeferred(decision, context)
    }

    private static func applied(
        _ write: Mutation, _ result: MutationResult, in local: EntityState, _ context: Context
    ) -> Decision {
        var next = local
        let version = result.version ?? result.current?.version ?? local.base?.version ?? 0
        // Nothing else changes the base row while a response is expected, so the response is newer. Its version may be smaller: the
        // server may have been restored.
        next.base = write.applied(to: local.base?.data).map {
            BaseRow(version: version, updatedAt: write.at, data: $0, round: context.round)
        }
        next.queue.removeFirst()
        if var following = next.queue.first {
            following.mutation.baseVersion = following.mutation.operation == .create ? nil : next.base?.version
            next.queue[0] = following
        }
        var decision = Decision(state: next)
        decision.report.pushed = 1
        if let deferredRemote = next.deferredRemote, deferredRemote.version <= version {
            decision.state.deferredRemote = nil
            // Our own write, as the server stored it. The cursor has passed it, so no later page brings it.
            if deferredRemote.version == version { decision.state.base = deferredRemote.base(round: context.round) }
        }
        return settlingDeferred(decision, context)
    }

    private static func conflicting(
        _ write: Mutation, _ result: MutationResult, in local: EntityState, _ context: Context
    ) -> Decision {
        let gone = SyncChange.tombstone(local.key, version: local.base?.version ?? 0, at: context.now)
        let current = result.current ?? gone
        let remote = local.deferredRemote.map { $0.version > current.version ? $0 : current } ?? current
        if remote.content != nil, let base = write.baseVersion, base == remote.version {
            // The same version would be refused again, without end.
            return rejected(
                "The server sees a conflict with version \(base), on which the write is based.", in: local, context)
        }
        var next = local
        next.deferredRemote = nil
        return settle(next, onto: remote, context)
    }

    /// Opens a conflict for a write that names a row which was deleted elsewhere. The remote side is the row without the write. The
    /// user gives the field another value, drops the write, or restores the other row and sends it again.
    private static func naming(deleted problem: Problem?, in local: EntityState, _ context: Context) -> Decision {
        var decision = Decision(state: local)
        let known = local.base.map {
            SyncChange(
                collection: local.key.collection, id: local.key.id, version: $0.version, updatedAt: $0.updatedAt,
                operation: .put, data: $0.data)
        }
        decision.state.openConflict = OpenConflict(
            id: context.conflictId,
            remote: local.deferredRemote ?? known ?? .tombstone(local.key, version: 0, at: context.now),
            fields: (problem?.errors ?? []).map(\.field), reason: problem.map(explanation) ?? "", createdAt: context.now
        )
        decision.state.deferredRemote = nil
        decision.state.queue = local.queue.map { $0.marked(.conflicted) }
        decision.report.conflicts = 1
        return decision
    }

    /// Settles the deferred remote row once the first entry was answered.
    private static func settlingDeferred(_ decision: Decision, _ context: Context) -> Decision {
        guard let deferredRemote = decision.state.deferredRemote, decision.state.queue.first?.state != .inflight else {
            return decision
        }
        var state = decision.state
        state.deferredRemote = nil
        var settled = settle(state, onto: deferredRemote, context)
        settled.report.add(decision.report)
        return settled
    }

    private static func explanation(_ problem: Problem) -> String {
        let fields = (problem.errors ?? []).map { "\($0.field) \($0.message)" }.joined(separator: "; ")
        let text = problem.detail ?? problem.title
        return fields.isEmpty ? text : "\(text) (\(fields))"
    }
}
