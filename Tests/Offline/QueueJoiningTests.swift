import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataOffline

/// The queue of a row and of its copy that turn out to be one.
@Suite struct QueueJoiningTests {
    private let copyKey = EntityKey(collection: "notes", id: "copy")

    private func copy(_ queue: OutboxEntry...) -> EntityState {
        EntityState(
            key: copyKey, base: Sample.base(5, ["text": "x"]),
            queue: queue.map { entry in
                var entry = entry
                entry.mutation.entityId = copyKey.id
                return entry
            })
    }

    private func own(_ queue: OutboxEntry...) -> EntityState { Sample.state(Sample.base(1, ["text": "x"]), queue) }

    private func queue(_ own: EntityState, _ copy: EntityState) -> [OutboxEntry] {
        QueueActions.joined(own, copy, Sample.context).queue
    }

    /// What is sent in which order: the ids of the writes.
    private func joined(_ own: EntityState, _ copy: EntityState) -> [String] {
        let queue = queue(own, copy)
        #expect(queue.allSatisfy { $0.mutation.entityId == own.key.id })
        let positions = queue.map(\.mutation.clientSeq)
        #expect(positions == positions.sorted() && Set(positions).count == positions.count)
        return queue.map(\.id)
    }

    @Test func `unsent writes stay in the order in which they were made`() {
        let first = Sample.entry("1", .patch, ["text": "a"], seq: 1)
        let second = Sample.entry("2", .patch, ["text": "b"], seq: 2)
        #expect(joined(own(first), copy(second)) == ["1", "2"])
        #expect(joined(own(second), copy(first)) == ["1", "2"])
    }

    @Test func `a write of the copy is based on the row, whose versions are others`() {
        let queue = queue(own(), copy(Sample.entry("1", .patch, ["text": "a"], base: 5)))
        #expect(queue.map(\.mutation.baseVersion) == [1], "with 5 a later state of the row may count as the known one")
    }

    @Test func `a sent write of the copy goes first, and no earlier one goes over it`() {
        let sent = Sample.entry("sent", .patch, ["text": "b"], .inflight, seq: 2)
        let earlier = Sample.entry("earlier", .patch, ["text": "a", "mark": "m"], seq: 1)
        let queue = queue(own(earlier, Sample.entry("later", .patch, ["text": "c"], seq: 3)), copy(sent))
        #expect(queue.map(\.id) == ["sent", "earlier", "later"])
        #expect(queue.map(\.mutation.fields) == [["text": "b"], ["mark": "m"], ["text": "c"]])
        #expect(joined(own(Sample.entry("earlier", .patch, ["text": "a"], seq: 1)), copy(sent)) == ["sent"])
    }

    @Test func `what was written before a sent deletion goes with it`() {
        let sent = Sample.entry("sent", .delete, [:], .inflight, seq: 2)
        #expect(joined(own(Sample.entry("1", .patch, ["text": "a"], seq: 1)), copy(sent)) == ["sent"])
    }

    @Test func `a row made again after its deletion has the fields of a sent write`() {
        let sent = Sample.entry("sent", .patch, ["text": "b"], .inflight, seq: 3)
        let queue = queue(
            own(Sample.entry("1", .delete, seq: 1), Sample.entry("2", .create, ["text": "a", "mark": "m"], seq: 2)),
            copy(sent))
        #expect(queue.map(\.id) == ["sent", "1", "2"])
        #expect(queue.last?.mutation.fields == ["text": "b", "mark": "m"])
    }

    @Test func `a deletion of one of the two counts when the other is not shown`() {
        let (deletion, edit) = (Sample.entry("d", .delete, seq: 2), Sample.entry("e", .patch, ["text": "a"], seq: 1))
        #expect(joined(own(deletion), copy(edit)) == ["e"])
        #expect(joined(own(edit), copy(deletion)) == ["e"])
        #expect(joined(own(), copy(deletion)) == [])
        #expect(joined(own(deletion), copy(Sample.entry("c", .delete, seq: 1))) == ["c", "d"])
        let gone = EntityState(key: copyKey, base: nil)
        #expect(joined(own(deletion), gone) == ["d"], "the server has deleted the copy")
    }

    private func conflicting(with remote: SyncChange) -> EntityState {
        var copy = copy(Sample.entry("1", .patch, ["text": "a"], .conflicted))
        copy.openConflict = OpenConflict(id: "c", remote: remote, fields: ["text"], reason: "", createdAt: Sample.now)
        return copy
    }

    @Test func `an edit of the copy that a deletion put into question stays one, however the row goes on`() {
        let joined = QueueActions.joined(own(), conflicting(with: Sample.gone(6)), Sample.context)
        #expect(joined.openConflict?.id == "c" && joined.openConflict?.remote.content == ["text": "x"])
        #expect(joined.queue.map(\.state) == [.conflicted])
        let later = SyncPlanner.settle(joined, onto: Sample.put(2, ["text": "x", "mark": "m"]), Sample.context).state
        #expect(later.queue.map(\.state) == [.conflicted])
        #expect(later.openConflict?.remote.content == ["text": "x", "mark": "m"])
        let kept = SyncPlanner.resolve(later, keeping: .local, Sample.context)
        #expect(kept.row == ["text": "a", "mark": "m"] && kept.queue.map(\.state) == [.pending])
    }

    @Test func `a conflict of the copy is judged again with the row as it is now`() {
        let copy = conflicting(with: Sample.put(6, ["text": "b"]))
        let settled = QueueActions.joined(own(), copy, Sample.context)
        #expect(settled.openConflict == nil && settled.queue.map(\.state) == [.pending])
        let open = QueueActions.joined(Sample.state(Sample.base(1, ["text": "b"])), copy, Sample.context)
        #expect(open.openConflict?.remote.content == ["text": "b"] && open.queue.map(\.state) == [.conflicted])
    }

    @Test func `writes of the copy wait for a conflict of the row`() {
        var own = own(Sample.entry("1", .patch, ["text": "a"], .conflicted, seq: 1))
        own.openConflict = OpenConflict(
            id: "c", remote: Sample.gone(2), fields: ["text"], reason: "", createdAt: Sample.now)
        let states = queue(own, copy(Sample.entry("2", .patch, ["mark": "m"], seq: 2))).map(\.state)
        #expect(states == [.conflicted, .conflicted])
    }
}
