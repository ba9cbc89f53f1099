import FoundationEssentials
import StrataDomain

/// Decides what becomes of one row when an answer or a remote change arrives. Pure: states in, states out.
enum SyncPlanner {
    /// The next state of a row, and what is to be counted about it.
    struct Decision: Hashable, Sendable {
        var state: EntityState
        var report = SyncReport()
    }

    /// What a decision may need that is not in the states.
    struct Fresh: Hashable, Sendable {
        var mutationId: String
        var conflictId: String
        var now: Date
        /// The present replacement round.
        var round: Int
        /// Of the row's collection.
        var policy = MergePolicy()
    }

    /// Brings a remote row together with what is here (O2, O3).
    ///
    /// Without unsynchronised writes the remote row wins when its version is newer. With such writes it becomes the merge
    /// base and they are put on top, field by field; what cannot be merged waits for a person. While the answer to a sent
    /// write is unknown, the remote row waits for it. No clock is asked.
    ///
    /// - Parameter replacing: The server shows all it has: an older version counts too, unless this round already showed a
    ///   newer one.
    static func reconcile(
        local: EntityState, remote: SyncChange, replacing: Bool = false, _ fresh: Fresh
    ) -> Decision {
        var next = local
        let wasSeen = local.shadow.map { $0.round == fresh.round } ?? false
        next.shadow?.round = fresh.round
        let takesAny = replacing && !wasSeen
        if let known = local.dispute?.remote ?? local.parked {
            // The agreed row is the base then, and may be of an earlier life of the server's data: it is not compared.
            let isOld = remote.version < known.version && !takesAny
            let isSame = remote.version == known.version && remote.content == known.content
            if isOld || isSame { return Decision(state: next) }
        } else if let shadow = local.shadow {
            if remote.version < shadow.version, !takesAny { return Decision(state: next) }
            if remote.version == shadow.version, let content = remote.content {
                // Our own write came back, perhaps tidied up by the server: no change for anybody.
                next.shadow = Shadow(
                    version: remote.version, updatedAt: remote.updatedAt, data: content, round: fresh.round)
                return Decision(state: next)
            }
        }
        if local.lane.first?.state == .inflight {
            next.parked = remote
            return Decision(state: next)
        }
        if local.shadow == nil, local.lane.isEmpty, remote.content == nil { return Decision(state: next) }
        var decision = settle(next, onto: remote, fresh)
        decision.report.pulled = 1
        return decision
    }

    /// Takes in the server's answer to the first entry of the lane; an answer to anything else changes nothing.
    static func acknowledge(_ result: MutationResult, in local: EntityState, _ fresh: Fresh) -> Decision {
        guard let head = local.lane.first, head.id == result.id else { return Decision(state: local) }
        return switch result.status {
        case .applied: applied(head.mutation, result, in: local, fresh)
        case .conflict: conflicting(head.mutation, result, in: local, fresh)
        case .rejected: rejected(result.error.map(explanation) ?? "The server gave no reason.", in: local, fresh)
        case .deferred: Decision(state: local)
        }
    }

    /// Marks the first entry as refused for good. What was written after it is put together with it and sent as a new
    /// write, since it may well be the correction.
    static func rejected(_ reason: String, in local: EntityState, _ fresh: Fresh) -> Decision {
        guard let head = local.lane.first else { return Decision(state: local) }
        var decision = Decision(state: local)
        let intent = LocalIntent(local.lane)
        if local.lane.count > 1, case .some(let lane) = rebuilt(local.lane, for: intent, on: local.shadow, fresh) {
            decision.state.lane = lane
        } else {
            var refused = head
            refused.state = .rejected
            refused.nextAttemptAt = nil
            refused.error = reason
            decision.state.lane[0] = refused
        }
        decision.report.rejected = 1
        return unparked(decision, fresh)
    }

    private static func applied(
        _ write: Mutation, _ result: MutationResult, in local: EntityState, _ fresh: Fresh
    ) -> Decision {
        var next = local
        let version = result.version ?? result.current?.version ?? local.shadow?.version ?? 0
        // While an answer is awaited nothing else moves the agreed row, so the answer is newer, whatever the numbers say: those
        // of an earlier life of the server's data may be larger.
        next.shadow = write.applied(to: local.shadow?.data).map {
            Shadow(version: version, updatedAt: write.at, data: $0, round: fresh.round)
        }
        next.lane.removeFirst()
        if var following = next.lane.first {
            following.mutation.baseVersion = following.mutation.operation == .create ? nil : next.shadow?.version
            next.lane[0] = following
        }
        var decision = Decision(state: next)
        decision.report.pushed = 1
        if let parked = next.parked, parked.version <= version {
            decision.state.parked = nil
            // Our own write, as the server keeps it; the cursor has passed it and will not bring it again.
            if parked.version == version { decision.state.shadow = parked.shadow(round: fresh.round) }
        }
        return unparked(decision, fresh)
    }

    private static func conflicting(
        _ write: Mutation, _ result: MutationResult, in local: EntityState, _ fresh: Fresh
    ) -> Decision {
        let gone = SyncChange.tombstone(local.key, version: local.shadow?.version ?? 0, at: fresh.now)
        let current = result.current ?? gone
        let remote = local.parked.map { $0.version > current.version ? $0 : current } ?? current
        if remote.content != nil, let base = write.baseVersion, base == remote.version {
            // Sending it again at the same version could only go on like this for ever.
            return rejected(
                "The server sees a conflict with version \(base), on which the write is based.", in: local, fresh)
        }
        var next = local
        next.parked = nil
        return settle(next, onto: remote, fresh)
    }

    /// Takes in the remote row that waited for an answer.
    private static func unparked(_ decision: Decision, _ fresh: Fresh) -> Decision {
        guard let parked = decision.state.parked, decision.state.lane.first?.state != .inflight else { return decision }
        var state = decision.state
        state.parked = nil
        var settled = settle(state, onto: parked, fresh)
        settled.report.add(decision.report)
        return settled
    }

    private static func explanation(_ problem: Problem) -> String {
        let fields = (problem.errors ?? []).map { "\($0.field) \($0.message)" }.joined(separator: "; ")
        let text = problem.detail ?? problem.title
        return fields.isEmpty ? text : "\(text) (\(fields))"
    }
}
