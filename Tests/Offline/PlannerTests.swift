import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Builders for states of one row, `a` of the notes.
enum Sample {
    static let key = EntityKey(collection: "notes", id: "a")
    static let now = Date(timeIntervalSince1970: 1_000)
    static let context = SyncPlanner.Context(mutationId: "new-m", conflictId: "new-c", now: now, round: 3)

    static func base(_ version: Int, _ data: [String: JSONValue], round: Int = 3) -> BaseRow {
        BaseRow(version: version, updatedAt: Date(timeIntervalSince1970: Double(version)), data: data, round: round)
    }

    static func entry(
        _ id: String, _ operation: Mutation.Operation, _ fields: [String: JSONValue] = [:], base: Int? = nil,
        _ state: OutboxEntry.State = .pending, seq: Int = 1
    ) -> OutboxEntry {
        let mutation = Mutation(
            id: id, clientSeq: seq, collection: key.collection, entityId: key.id, operation: operation,
            baseVersion: base, fields: fields, at: Date(timeIntervalSince1970: 500))
        return OutboxEntry(mutation: mutation, state: state, attempts: 0, nextAttemptAt: nil, error: nil)
    }

    static func put(_ version: Int, _ data: [String: JSONValue]) -> SyncChange {
        SyncChange(
            collection: key.collection, id: key.id, version: version,
            updatedAt: Date(timeIntervalSince1970: Double(version)), operation: .put, data: data)
    }

    static func gone(_ version: Int) -> SyncChange { .tombstone(key, version: version, at: now) }
    static func state(_ base: BaseRow?, _ queue: [OutboxEntry] = []) -> EntityState {
        EntityState(key: key, base: base, queue: queue)
    }
}

@Suite struct `Reconciling a remote row` {
    private func reconcile(
        _ local: EntityState, _ remote: SyncChange, replacing: Bool = false
    ) -> SyncPlanner.Decision {
        SyncPlanner.reconcile(local: local, remote: remote, replacing: replacing, Sample.context)
    }

    @Test func `an unknown row is taken`() {
        let decision = reconcile(
            Sample.state(nil), Sample.put(7, ["text": "x", "id": "a", "version": 7, "gone": .null]))
        #expect(decision.state.base == Sample.base(7, ["text": "x"]))
        #expect(decision.report == SyncReport(pulled: 1))
    }

    @Test func `the same version is an echo and is not counted`() {
        let local = Sample.state(Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "y"], base: 5)])
        let decision = reconcile(local, Sample.put(5, ["text": "X"]))
        #expect(decision.report == SyncReport())
        #expect(decision.state.base?.data == ["text": "X"])
        #expect(decision.state.queue == local.queue)
    }

    @Test func `a row that a refused deletion brought back stays and follows the server`() {
        let local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .delete, base: 5, .rejected)])
        #expect(local.row == ["text": "x"])
        let decision = reconcile(local, Sample.put(6, ["text": "new"]))
        #expect(decision.state.row == ["text": "new"] && decision.state.openConflict == nil)
        #expect(decision.state.queue.map(\.state) == [.rejected], "the refusal is still told")
    }

    @Test func `an edit back to the base opens no conflict when the row is gone`() {
        let local = Sample.state(Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "x"], base: 5)])
        #expect(reconcile(local, Sample.gone(6)).state == Sample.state(nil))
    }

    @Test func `a remote row is deferred until the sent write is answered, and the newest counts`() {
        let queue = [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)]
        let local = Sample.state(Sample.base(5, ["text": "x"]), queue)
        let first = reconcile(local, Sample.put(8, ["text": "theirs"]))
        #expect(first.state.deferredRemote == Sample.put(8, ["text": "theirs"]))
        #expect(first.state.queue == queue && first.state.row == ["text": "mine"] && first.report == SyncReport())
        #expect(reconcile(first.state, Sample.put(7, ["text": "late"])).state.deferredRemote?.version == 8)
    }

    @Test func `a refused edit that overlaps nothing keeps its id and waits on the newer row`() {
        let local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["mark": "bad"], base: 5, .rejected)])
        let decision = reconcile(local, Sample.put(6, ["text": "theirs"]))
        #expect(decision.state.queue == [Sample.entry("m", .patch, ["mark": "bad"], base: 6, .rejected)])
        #expect(decision.state.row == ["text": "theirs", "mark": "bad"])
    }

    @Test func `a replacement round takes older versions of rows it has not shown yet`() {
        let unseen = Sample.state(Sample.base(50, ["text": "x"], round: 2))
        #expect(
            reconcile(unseen, Sample.put(4, ["text": "restored"]), replacing: true).state.row == ["text": "restored"])
        let seen = Sample.state(Sample.base(50, ["text": "x"], round: 3))
        #expect(reconcile(seen, Sample.put(4, ["text": "stale"]), replacing: true).state == seen)
    }

    @Test func `a conflict follows the remote row, with a base of any version`() {
        // The agreed row is of an earlier life of the server's data, in which its version meant something else.
        var local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "mine"], base: 5, .conflicted)])
        local.openConflict = OpenConflict(
            id: "c", remote: Sample.gone(3), fields: ["text"], reason: "", createdAt: Sample.now)
        #expect(reconcile(local, Sample.put(5, ["text": "new life"])).state.openConflict?.remote.version == 5)
        #expect(reconcile(local, Sample.put(4, ["text": "new life"])).state.openConflict?.remote.version == 4)
        #expect(reconcile(local, Sample.put(2, ["text": "late"])).state == local)
    }

    @Test func `a replacement round marks the rows that it saw, also with a sent write`() {
        let queue = [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)]
        let decision = reconcile(
            Sample.state(Sample.base(5, ["text": "x"], round: 2), queue), Sample.put(6, ["text": "y"]), replacing: true
        )
        #expect(decision.state.base?.round == 3)
    }
}

extension EntityState {
    /// Times are shown only.
    fileprivate func withTime(of other: EntityState) -> EntityState {
        var copy = self
        if let time = other.base?.updatedAt { copy.base?.updatedAt = time }
        return copy
    }
}

@Suite struct `Taking in an answer` {
    private func acknowledge(_ result: MutationResult, _ local: EntityState) -> SyncPlanner.Decision {
        SyncPlanner.acknowledge(result, in: local, Sample.context)
    }

    @Test func `an applied write becomes the base, and the next write moves up`() {
        let queue = [
            Sample.entry("m1", .patch, ["text": "mine"], base: 5, .inflight),
            Sample.entry("m2", .patch, ["mark": "next"], base: 5, seq: 2),
        ]
        let decision = acknowledge(
            MutationResult(id: "m1", status: .applied, version: 9), Sample.state(Sample.base(5, ["text": "x"]), queue))
        #expect(decision.state.base?.data == ["text": "mine"])
        #expect(decision.state.base?.version == 9)
        #expect(decision.state.queue == [Sample.entry("m2", .patch, ["mark": "next"], base: 9, seq: 2)])
        #expect(decision.report == SyncReport(pushed: 1))
    }

    @Test func `an applied delete leaves no row, and a create behind it has no base`() {
        let queue = [
            Sample.entry("m1", .delete, base: 5, .inflight), Sample.entry("m2", .create, ["text": "new"], seq: 2),
        ]
        let decision = acknowledge(
            MutationResult(id: "m1", status: .applied, version: 9), Sample.state(Sample.base(5, ["text": "x"]), queue))
        #expect(decision.state == Sample.state(nil, [queue[1]]))
    }

    @Test func `the result of another mutation changes nothing`() {
        let local = Sample.state(nil, [Sample.entry("m", .create, ["text": "x"], .inflight)])
        #expect(acknowledge(MutationResult(id: "other", status: .applied, version: 9), local).state == local)
        #expect(acknowledge(MutationResult(id: "m", status: .applied), Sample.state(nil)).state == Sample.state(nil))
    }

    @Test func `a result that arrives twice takes effect once`() {
        let local = Sample.state(nil, [Sample.entry("m", .create, ["text": "x"], .inflight)])
        let result = MutationResult(id: "m", status: .applied, version: 9)
        let once = acknowledge(result, local).state
        #expect(acknowledge(result, once).state == once)
    }

    @Test func `the result of a write replaces a base of any version`() {
        let local = Sample.state(
            Sample.base(50, ["text": "x"]), [Sample.entry("m", .patch, ["text": "mine"], base: 50, .inflight)])
        let decision = acknowledge(MutationResult(id: "m", status: .applied, version: 7), local)
        #expect(decision.state == Sample.state(Sample.base(7, ["text": "mine"])).withTime(of: decision.state))
    }

    @Test func `a deferred remote row counts after the result only if it is newer`() {
        var local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)])
        local.deferredRemote = Sample.put(12, ["text": "built on mine"])
        let applied = MutationResult(id: "m", status: .applied, version: 9)
        #expect(acknowledge(applied, local).state.row == ["text": "built on mine"])
        local.deferredRemote = Sample.put(9, ["text": "MINE"])
        #expect(acknowledge(applied, local).state == Sample.state(Sample.base(9, ["text": "MINE"])))
        local.deferredRemote = Sample.put(7, ["text": "before mine"])
        #expect(acknowledge(applied, local).state.row == ["text": "mine"])
    }

    @Test func `a conflict without overlap is rebased under a new id`() {
        let local = Sample.state(
            Sample.base(5, ["text": "x", "mark": "1"]),
            [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)])
        let current = Sample.put(8, ["text": "x", "mark": "2"])
        let decision = acknowledge(MutationResult(id: "m", status: .conflict, current: current), local)
        #expect(decision.state.queue == [Sample.entry("new-m", .patch, ["text": "mine"], base: 8)])
        #expect(decision.state.row == ["text": "mine", "mark": "2"])
        #expect(decision.report == SyncReport(merged: 1))
    }

    @Test func `the newer of the current and the deferred row counts`() {
        var local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["mark": "mine"], base: 5, .inflight)])
        local.deferredRemote = Sample.put(12, ["text": "newest"])
        let stored = MutationResult(id: "m", status: .conflict, current: Sample.put(8, ["text": "then"]))
        let decision = acknowledge(stored, local)
        #expect(decision.state.base?.version == 12 && decision.state.deferredRemote == nil)
    }

    @Test func `a conflict over a row that the server does not know counts as a deletion`() {
        let local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)])
        let decision = acknowledge(MutationResult(id: "m", status: .conflict), local)
        #expect(decision.state.openConflict?.reason == "Edited here, deleted on the server.")
    }

    @Test func `a conflict at the version of the write rejects it`() {
        let local = Sample.state(
            Sample.base(5, ["text": "x"]), [Sample.entry("m", .patch, ["text": "mine"], base: 5, .inflight)])
        let current = Sample.put(5, ["text": "x"])
        let decision = acknowledge(MutationResult(id: "m", status: .conflict, current: current), local)
        #expect(decision.state.queue.map(\.state) == [.rejected])
    }

    @Test func `a rejected write keeps its reason, or is sent again with the writes after it`() {
        let problem = Problem(
            title: "Bad", status: 422, detail: "Not accepted.",
            errors: [FieldError(field: "text", message: "is too long")])
        let refusal = MutationResult(id: "m1", status: .rejected, error: problem)
        let head = Sample.entry("m1", .create, ["text": "long"], .inflight)
        let alone = acknowledge(refusal, Sample.state(nil, [head]))
        #expect(alone.state.queue.first?.state == .rejected)
        #expect(alone.state.queue.first?.error == "Not accepted. (text is too long)")
        #expect(alone.state.row == ["text": "long"])
        let corrected = acknowledge(
            refusal, Sample.state(nil, [head, Sample.entry("m2", .patch, ["text": "short"], seq: 2)]))
        #expect(corrected.state.queue == [Sample.entry("new-m", .create, ["text": "short"])])
        let withdrawn = acknowledge(refusal, Sample.state(nil, [head, Sample.entry("m2", .delete, seq: 2)]))
        #expect(withdrawn.state == Sample.state(nil))
    }
}

@Suite struct `Intents meeting a remote row` {
    typealias Fields = [String: JSONValue]

    @Test(arguments: [
        (LocalIntent.nothing, ["text": "r"] as Fields?, LocalIntent.nothing),
        (.create(["text": "r"]), ["text": "r"], .nothing),
        (.create(["text": "b", "mark": "m"]), ["text": "b"], .patch(["mark": "m"])),
        (.create(["text": "c"]), nil, .create(["text": "c"])),
        (.patch(["text": "c"]), ["text": "b", "mark": "r"], .patch(["text": "c"])),
        (.patch(["text": "b"]), ["text": "r"], .nothing),
        (.patch(["mark": .null]), ["text": "b"], .nothing),
        (.delete, ["text": "b"], .delete),
        (.delete, nil, .nothing),
        (.replace(["mark": "m"]), ["text": "b"], .patch(["text": .null, "mark": "m"])),
        (.replace(["text": "r"]), ["text": "r"], .nothing),
        (.replace(["text": "c"]), nil, .create(["text": "c"])),
    ])
    func `an edit without overlap is rebased on the remote row`(intent: LocalIntent, remote: Fields?, rest: LocalIntent)
    {
        let base: Fields? = if case .create = intent { nil } else { ["text": "b"] }
        #expect(intent.settled(from: base, onto: remote) == .agreed(rest))
    }

    @Test(arguments: [
        (LocalIntent.create(["text": "c"]), ["text": "r"] as Fields?, ["text"]),
        (.patch(["text": "c"]), ["text": "r"], ["text"]),
        (.patch(["text": .null]), ["text": "r"], ["text"]),
        (.patch(["text": "c"]), nil, ["text"]),
        (.delete, ["text": "r"], []),
        (.replace(["mark": "m"]), ["text": "r"], ["mark", "text"]),
    ])
    func `an edit with overlap is a conflict with the remote row`(
        intent: LocalIntent, remote: Fields?, fields: [String]
    ) {
        let base: Fields? = if case .create = intent { nil } else { ["text": "b"] }
        guard case .conflict(let found, _) = intent.settled(from: base, onto: remote) else {
            Issue.record("expected a conflict")
            return
        }
        #expect(found == fields)
    }
}

@Suite struct `Failures of a whole request` {
    @Test func `the failure of a request decides whether to stop, split, refuse or leave`() {
        let problem = SyncServerModel.problem(422, "x")
        #expect(PushFailure(NetworkError(.offline("x")), count: 9) == .stop(untouched: true))
        #expect(PushFailure(NetworkError(.connectionLost("x")), count: 1) == .stop(untouched: false))
        #expect(PushFailure(NetworkError(.timeout), count: 1) == .stop(untouched: false))
        #expect(PushFailure(NetworkError(.cancelled), count: 9) == .stop(untouched: false))
        #expect(PushFailure(NetworkError(.unauthorized(nil)), count: 1) == .stop(untouched: true))
        #expect(PushFailure(NetworkError(.validation(problem)), count: 2) == .split)
        #expect(PushFailure(NetworkError(.validation(problem)), count: 1) == .refuse)
        #expect(PushFailure(NetworkError(.validation(nil)), count: 1) == .stop(untouched: true))
        #expect(PushFailure(NetworkError(.status(413, nil)), count: 200) == .split)
        #expect(PushFailure(NetworkError(.server(500, nil)), count: 2) == .split)
        #expect(PushFailure(NetworkError(.server(500, nil)), count: 1) == .leave)
        #expect(PushFailure(NetworkError(.server(502, nil)), count: 2) == .stop(untouched: false))
    }

    @Test(arguments: [
        NetworkError.Kind.unauthorized(nil), .forbidden(nil), .notFound(nil), .rateLimited(retryAfter: nil),
        .validation(nil),
    ])
    func `the writes of a failed request count as sent`(kind: NetworkError.Kind) {
        let attempt = NetworkError.Attempt(number: 1, outcome: "401", decision: "final", duration: .zero)
        #expect(PushFailure(NetworkError(kind, attempts: [attempt]), count: 1) == .stop(untouched: false))
        #expect(PushFailure(NetworkError(kind), count: 1) == .stop(untouched: true), "It was never sent.")
    }

    @Test(arguments: [
        NetworkError.Kind.validation(SyncServerModel.problem(422, "x")), .validation(nil), .status(413, nil),
        .status(405, nil), .notFound(nil), .forbidden(nil), .conflict(nil), .unauthorized(nil), .server(500, nil),
        .conflict(SyncServerModel.problem(409, SyncCode.epochChanged)), .server(503, nil),
        .rateLimited(retryAfter: nil),
        .invalidRequest("x"), .invalidResponse("x"), .offline("x"), .timeout, .connectionLost("x"), .cancelled,
    ])
    func `the failure of a token refresh refuses and splits nothing`(kind: NetworkError.Kind) {
        let attempt = NetworkError.Attempt(number: 1, outcome: "401", decision: "done", duration: .zero)
        for count in [1, 9] {
            for attempts in [[], [attempt]] {
                let error = NetworkError(kind, attempts: attempts).ofRefresh
                #expect(PushFailure(error, count: count) == .stop(untouched: true))
            }
            let repeated = NetworkError(kind, attempts: [attempt, attempt]).ofRefresh
            #expect(PushFailure(repeated, count: count) == .stop(untouched: false), "The first may have arrived.")
        }
    }

    @Test(arguments: [
        (400, SyncCode.invalidCursor), (409, SyncCode.epochChanged), (409, SyncCode.scopeChanged),
        (410, SyncCode.cursorExpired),
    ])
    func `a refused cursor refuses no write`(status: Int, code: String) {
        let problem = SyncServerModel.problem(status, code)
        let kind: NetworkError.Kind =
            switch status {
            case 400: .validation(problem)
            case 409: .conflict(problem)
            default: .status(status, problem)
            }
        for count in [1, 9] { #expect(PushFailure(NetworkError(kind), count: count) == .replace) }
    }

    @Test func `a refused connection after earlier attempts may still have arrived`() {
        let attempt = NetworkError.Attempt(number: 1, outcome: "lost", decision: "retry", duration: .zero)
        let error = NetworkError(.offline("x"), attempts: [attempt, attempt])
        #expect(PushFailure(error, count: 1) == .stop(untouched: false))
    }
}
