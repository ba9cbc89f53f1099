import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Random triples of base, local writes and remote row, held against sentences that must be true of every decision.
///
/// Every run of the tests checks some thousands; `STRATA_FUZZ=1000000` checks that many (`Scripts/simulate --triples N`).
@Suite struct `Any triple` {
    @Test(arguments: 0..<4)
    func `the planner decides any base, local and remote row by the rules`(part: Int) throws {
        let count = (ProcessInfo.processInfo.environment["STRATA_FUZZ"].flatMap { Int($0) } ?? 20_000) / 4
        for number in 0..<count {
            let seed = UInt64(part) << 40 | UInt64(number)
            let triple = Triple(seed: seed)
            if let flaw = triple.flaw() {
                Issue.record("triple \(seed): \(flaw)\n\(triple)")
                return
            }
        }
    }

    @Test func `the check finds a planner that forgets an edit`() {
        // A decision that was tampered with must not pass: the sentences above can fail.
        let found = (0..<2000).contains { seed in
            let triple = Triple(seed: UInt64(seed))
            var decision = triple.decision
            guard decision.state.openConflict == nil, !decision.state.queue.isEmpty else { return false }
            decision.state.queue = []
            return triple.flaw(in: decision) != nil
        }
        #expect(found)
    }
}

/// A row before and after the remote side changed it.
private struct Triple: CustomStringConvertible {
    let base: [String: JSONValue]?
    let local: EntityState
    let remote: SyncChange
    let policy: MergePolicy
    let context: SyncPlanner.Context

    private static let fields = ["a", "b", "c"]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func content() -> [String: JSONValue] {
            var content: [String: JSONValue] = [:]
            for field in Self.fields where Int.random(in: 0..<4, using: &random) > 0 {
                content[field] = .integer(.random(in: 0..<3, using: &random))
            }
            return content
        }
        base = Int.random(in: 0..<4, using: &random) == 0 ? nil : content()
        var row = base
        var queue: [OutboxEntry] = []
        for seq in 1...Int.random(in: 1...3, using: &random) {
            guard seq > 1 || Int.random(in: 0..<4, using: &random) > 0 else { break }
            let write: (Mutation.Operation, [String: JSONValue])
            if row == nil {
                write = (.create, content())
            } else if Int.random(in: 0..<5, using: &random) == 0 {
                write = (.delete, [:])
            } else {
                var edits = content()
                if Int.random(in: 0..<5, using: &random) == 0 { edits["a"] = .null }
                write = (.patch, edits)
            }
            let entry = Sample.entry("m\(seq)", write.0, write.1, base: base == nil ? nil : 5, seq: seq)
            row = entry.mutation.applied(to: row)
            queue.append(entry)
        }
        local = EntityState(key: Sample.key, base: base.map { Sample.base(5, $0) }, queue: queue)
        // The remote side starts from the base and changes some fields, or is gone, or is something else entirely.
        var there: [String: JSONValue]? = base ?? content()
        for field in Self.fields where Int.random(in: 0..<3, using: &random) == 0 {
            there?[field] = .integer(.random(in: 0..<3, using: &random))
        }
        if Int.random(in: 0..<6, using: &random) == 0 { there = nil }
        remote = there.map { Sample.put(8, $0) } ?? Sample.gone(8)
        let rules = MergePolicy.FieldRule.allCases
        policy = MergePolicy(
            fields: rules.randomElement(using: &random) ?? .ask,
            overrides: Bool.random(using: &random) ? ["a": rules.randomElement(using: &random) ?? .ask] : [:],
            deletion: MergePolicy.DeletionRule.allCases.randomElement(using: &random) ?? .ask)
        context = SyncPlanner.Context(
            mutationId: "new-m", conflictId: "new-c", now: Sample.now, round: 3, policy: policy)
    }

    var decision: SyncPlanner.Decision { SyncPlanner.reconcile(local: local, remote: remote, context) }
    var description: String {
        "base \(base ?? [:]) local \(local.queue.map(\.mutation)) remote \(remote.content as Any) \(policy)"
    }

    func flaw() -> String? { flaw(in: decision) ?? otherFlaw() }

    /// What `decision` breaks; `nil` when every sentence holds.
    func flaw(in decision: SyncPlanner.Decision) -> String? {
        let next = decision.state
        if let openConflict = next.openConflict {
            if next.base != local.base || next.row != local.row { return "A conflict changes nothing but itself." }
            if next.queue.contains(where: { $0.state != .conflicted }) { return "A queue in conflict is not sent." }
            if local.queue.isEmpty { return "Without local writes there is no conflict." }
            if openConflict.fields.contains(where: { policy.rule(for: $0) != .ask }) && remote.content != nil {
                return "A person is asked only about fields whose rule says so."
            }
            let isDeletion = remote.content == nil || local.row == nil
            if isDeletion ? policy.deletion != .ask : openConflict.fields.isEmpty {
                return "A conflict has a reason."
            }
            return nil
        }
        if next.base?.data != remote.content?.canonical { return "What was agreed is the remote row." }
        if local.queue.isEmpty { return next.row == remote.content ? nil : "Without local writes the remote row wins." }
        return flawInFields(next)
    }

    private func flawInFields(_ next: EntityState) -> String? {
        let theirs = remote.content
        guard let mine = local.row else {
            let isGone = next.row == nil
            if theirs == nil || theirs == base { return isGone ? nil : "An undisputed delete stands." }
            return isGone == (policy.deletion == .deleteWins) ? nil : "The rule for deletions decides."
        }
        guard let theirs else {
            if next.row == nil {
                let wanted = mine.filter { $0.value != base?[$0.key] }
                return policy.deletion == .deleteWins
                    || wanted.isEmpty && base?.keys.allSatisfy { mine[$0] != nil } ?? false
                    ? nil : "Nothing typed here goes without a rule."
            }
            return next.row == mine ? nil : "What is made again is what is seen here."
        }
        guard let row = next.row else { return "A row that both sides have stays." }
        // Made anew here: the whole row is one edit, judged as such by the tests of intents.
        if local.queue.contains(where: { $0.mutation.operation == .delete }) { return nil }
        for field in Self.fields {
            let (was, here, there, now) = (base?[field], mine[field], theirs[field], row[field])
            let touched = local.queue.contains { $0.mutation.fields[field] != nil }
            if !touched || here == was {
                if now != there { return "A field that only the server changed takes its value: \(field)." }
            } else if here == there {
                if now != here { return "An agreed field stays: \(field)." }
            } else if there == was {
                if now != here { return "A field that only this side changed keeps its value: \(field)." }
            } else if now != (policy.rule(for: field) == .serverWins ? there : here) {
                return "The field's rule decides: \(field)."
            }
        }
        return nil
    }

    private func otherFlaw() -> String? {
        let decision = decision
        if SyncPlanner.reconcile(local: decision.state, remote: remote, context).state != decision.state {
            return "Once is as good as twice."
        }
        var older = remote
        older.version = 4
        if local.base != nil, SyncPlanner.reconcile(local: local, remote: older, context).state != local {
            return "An older version changes nothing."
        }
        var late = remote
        late.updatedAt = Date(timeIntervalSince1970: -9e9)
        var slow = local
        for index in slow.queue.indices { slow.queue[index].mutation.at = Date(timeIntervalSince1970: 9e9) }
        if SyncPlanner.reconcile(local: slow, remote: late, context).state.row != decision.state.row {
            return "No clock decides."
        }
        return sendingFlaw(decision.state) ?? inflightFlaw()
    }

    /// Sending what is left brings both sides to the row that people see here.
    private func sendingFlaw(_ agreed: EntityState) -> String? {
        guard agreed.openConflict == nil else { return nil }
        var (state, server, version) = (agreed, remote.content, 8)
        while let head = state.queue.first {
            let sees = head.mutation.operation == .create ? server == nil : head.mutation.baseVersion == version
            if !sees { return "What is left to send is based on the remote row." }
            state.queue[0].state = .inflight
            server = head.mutation.applied(to: server)
            version += 1
            state =
                SyncPlanner.acknowledge(
                    MutationResult(id: head.id, status: .applied, version: version), in: state, context
                ).state
            if state.queue.count >= agreed.queue.count { return "An answered write leaves the queue." }
        }
        return state.row == server && agreed.row == server ? nil : "Both sides end with the row that is seen here."
    }

    /// While the answer to a sent write is unknown, nothing is decided.
    private func inflightFlaw() -> String? {
        guard !local.queue.isEmpty else { return nil }
        var sent = local
        sent.queue[0].state = .inflight
        let deferredRemote = SyncPlanner.reconcile(local: sent, remote: remote, context).state
        if deferredRemote.queue != sent.queue || deferredRemote.row != sent.row { return "A sent write is left alone." }
        return deferredRemote.deferredRemote == remote ? nil : "A remote row waits for the answer to a sent write."
    }
}
