import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataOffline

/// Rows of a space that the user is not in any more.
@Suite struct `A row that is withdrawn` {
    private let local = EntityState(
        key: Sample.key, base: Sample.base(5, ["text": "theirs"]),
        queue: [
            Sample.entry("m-1", .patch, ["text": "mine"], base: 5, .inflight),
            Sample.entry("m-2", .patch, ["mark": "x"], base: 5, seq: 2),
        ], deferredRemote: Sample.put(8, ["text": "newer"]))

    @Test func `loses what the server had sent, and keeps each unsent write as refused`() {
        let decision = SyncPlanner.withdrawn("gone", from: local)
        #expect(decision.state.base == nil && decision.state.deferredRemote == nil)
        #expect(decision.state.row == nil)
        #expect(decision.state.queue.map(\.mutation) == local.queue.map(\.mutation))
        #expect(decision.state.queue.map(\.state) == [.rejected, .rejected])
        #expect(decision.state.queue.map(\.error) == ["gone", "gone"])
        #expect(decision.report == SyncReport(pulled: 1, rejected: 1))
    }

    @Test func `keeps the reason of a write that was refused before, and is not counted twice`() {
        let once = SyncPlanner.withdrawn("first", from: local).state
        let twice = SyncPlanner.withdrawn("second", from: once)
        #expect(twice.state == once && twice.report == SyncReport())
    }

    @Test func `loses an open conflict with the text of its other side`() {
        var state = local
        state.deferredRemote = nil
        state.openConflict = OpenConflict(
            id: "c", remote: Sample.put(8, ["text": "newer"]), fields: ["text"], reason: "both", createdAt: Sample.now)
        state.queue = state.queue.map { $0.marked(.conflicted) }
        let decision = SyncPlanner.withdrawn("gone", from: state)
        #expect(decision.state.openConflict == nil && decision.state.conflict == nil)
        #expect(decision.state.queue.map(\.state) == [.rejected, .rejected])
    }

    @Test func `is what a refusal for want of a membership makes of a row`() {
        let problem = Problem(
            title: "Not a member", status: 403, detail: "You are not a member.", code: SyncCode.notAMember)
        let result = MutationResult(id: "m-1", status: .rejected, error: problem)
        let decision = SyncPlanner.acknowledge(result, in: local, Sample.context)
        #expect(decision.state == SyncPlanner.withdrawn("You are not a member.", from: local).state)
    }

    @Test func `a discarded write leaves nothing`() {
        let state = SyncPlanner.withdrawn("gone", from: local).state
        let next = QueueActions.discarding("m-1", in: state, Sample.context)
        #expect(next == EntityState(key: Sample.key))
    }
}
