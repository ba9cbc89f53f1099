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

    /// What is sent in which order: the ids of the writes.
    private func joined(_ own: EntityState, _ copy: EntityState) -> [String] {
        let queue = QueueActions.joining(own, copy)
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
        let queue = QueueActions.joining(own(), copy(Sample.entry("1", .patch, ["text": "a"], base: 5)))
        #expect(queue.map(\.mutation.baseVersion) == [1], "with 5 a later state of the row may count as the known one")
    }

    @Test func `a sent write of the copy goes first, and no earlier one goes over it`() {
        let sent = Sample.entry("sent", .patch, ["text": "b"], .inflight, seq: 2)
        let earlier = Sample.entry("earlier", .patch, ["text": "a", "mark": "m"], seq: 1)
        let queue = QueueActions.joining(own(earlier, Sample.entry("later", .patch, ["text": "c"], seq: 3)), copy(sent))
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
        let queue = QueueActions.joining(
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

    @Test func `a write of the copy that waited in a conflict is sent`() {
        let entry = Sample.entry("1", .patch, ["text": "a"], .conflicted)
        #expect(QueueActions.joining(own(), copy(entry)).map(\.state) == [.pending])
    }
}
