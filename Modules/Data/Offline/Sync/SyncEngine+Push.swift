import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataSystem

extension SyncEngine {
    /// A busy entity may be merged and sent again this many times in a run; then it waits for the next.
    private static let passes = 10
    /// Failed requests of a run: enough to find two refused entries in a hundred. With one more the run ends; where each write is a
    /// request of its own, the next one begins behind it.
    private static let failures = 20

    /// Sends the first entry of every queue, until no entry can be sent any more.
    func push(_ effort: Effort, _ report: inout SyncReport) async throws(DomainError) -> PushEnd {
        var run = PushRun()
        let queued = try await status().pending
        let start = try await start()
        for pass in 0..<Self.passes {
            let before = run.answers
            var after = pass == 0 ? start : 0
            while let batch = try await take(after: after, effort, without: run.unanswered) {
                after = batch.last
                if !batch.entries.isEmpty {
                    try await send(batch.entries, &run, &report)
                    onProgress(.sending(run.answers, of: max(queued, run.answers)))
                }
                if run.isReplaced { return .serverReplaced }
                if run.isOver {
                    try await setStart(after)
                    return .done
                }
            }
            if run.answers == before, pass > 0 || start == 0 { break }
        }
        // All that wait were tried. A run for those that are due leaves some out.
        if start > 0, effort == .now { try await setStart(0) }
        // A failure of some entries must not stop the pull. A failure of all is an outage.
        if let failure = run.failure, run.answers == 0, remote.stopsWithoutAnswer { throw failure }
        return .done
    }

    /// The position behind which a run begins: that of the entry with which the last run ended because too many had failed. So entries that
    /// always fail keep no other one from being sent. `waitsForOthers` keeps an edit behind the create that it needs, whatever comes first.
    private func start() async throws(DomainError) -> Int {
        if remote.stopsWithoutAnswer { return 0 }
        return try await database.read { db in
            let sql = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'push/after'"
            return try Int.fetchOne(db.cachedStatement(sql: sql)) ?? 0
        }
    }

    private func setStart(_ position: Int) async throws(DomainError) {
        try await access { access in
            let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('push/after', ?)"
            try access.tables.db.cachedStatement(sql: sql).execute(arguments: [String(position)])
        }
    }

    enum PushEnd: Hashable, Sendable {
        case done
        /// The server knows nothing of the versions that the writes are based on.
        case serverReplaced
    }

    /// The counts of one run.
    struct PushRun: Sendable {
        var answers = 0
        var unanswered: Set<Mutation.ID> = []
        var failure: DomainError?
        var failures = 0
        var isReplaced = false
        /// Whether nothing more is sent. What changed at the server is fetched all the same.
        var isOver = false
    }

    /// Entries as they were before they were marked as sent.
    struct Batch: Sendable {
        var entries: [OutboxEntry]
        /// The last position that was looked at.
        var last: Int
    }

    /// Marks the next entries as sent, in a transaction of its own: from then on they never change, and a crash leaves
    /// them to be sent again.
    ///
    /// - Returns: `nil` when no further queue has an entry that may be sent.
    private func take(
        after: Int, _ effort: Effort, without unanswered: Set<Mutation.ID>
    ) async throws(DomainError) -> Batch? {
        let (limit, remote) = (remote.batchSize, remote)
        return try await access { access in
            let db = access.tables.db
            let sql = """
                \(OutboxRow.selection) AS entry WHERE state IN ('pending', 'inflight') AND client_seq > ?
                    AND NOT EXISTS (
                        SELECT 1 FROM outbox AS earlier WHERE earlier.collection = entry.collection
                            AND earlier.entity_id = entry.entity_id AND earlier.client_seq < entry.client_seq)
                ORDER BY client_seq LIMIT ?
                """
            let rows = try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [after, limit])
            guard let last = rows.last else { return nil }
            let sides = "SELECT EXISTS (SELECT 1 FROM conflict) OR EXISTS (SELECT 1 FROM deferred_row)"
            let hasSides = try Bool.fetchOne(db.cachedStatement(sql: sides)) ?? false
            let entries = try rows.compactMap(access.intactEntry).filter { entry in
                let key = EntityKey(collection: entry.mutation.collection, id: entry.mutation.entityId)
                guard let references = remote.references(of: key.collection) else { return false }
                if hasSides, try access.fetchIntact(key) == nil { return false }
                if try access.waitsForOthers(entry, references, remote.references) { return false }
                let isDue = effort == .now || Backoff.outbox.isDue(entry.nextAttemptAt, now: access.now)
                return isDue && !unanswered.contains(entry.id)
            }
            let mark = try db.cachedStatement(sql: "UPDATE outbox SET state = 'inflight' WHERE client_seq = ?")
            for entry in entries where entry.state == .pending {
                try mark.execute(arguments: [entry.mutation.clientSeq])
            }
            return Batch(entries: entries, last: last[0])
        }
    }

    /// Sends entries in one request, and in smaller ones while one of them may keep the others from being answered.
    private func send(
        _ entries: [OutboxEntry], _ run: inout PushRun, _ report: inout SyncReport
    ) async throws(DomainError) {
        var parts = [entries]
        while let part = parts.popLast() {
            do {
                let answers = try await remote.push(part)
                try await take(answers, for: part, &run, &report)
            } catch let fault as PushFault {
                run.failures += 1
                let (error, failure) = (fault.error, DomainError(fault.error))
                var decision = fault.decision
                if run.failures > Self.failures, [.split, .leave, .leaveUntouched].contains(decision) {
                    guard remote.stopsWithoutAnswer else {
                        try await postpone(part, failure, resetting: decision == .leaveUntouched)
                        run.isOver = true
                        return
                    }
                    decision = .stop(untouched: decision == .leaveUntouched)
                }
                switch decision {
                case .split:
                    parts.append(Array(part[(part.count / 2)...]))
                    parts.append(Array(part[..<(part.count / 2)]))
                case .refuse:
                    try await refuse(part, error, &report)
                    run.answers += 1
                case .leave, .leaveUntouched:
                    try await postpone(part, failure, resetting: decision == .leaveUntouched)
                    run.unanswered.formUnion(part.map(\.id))
                    run.failure = failure
                case .replace:
                    try await postpone(part + parts.flatMap { $0 }, failure, resetting: run.failures == 1)
                    run.isReplaced = true
                    return
                case .stop(let untouched):
                    try await postpone(part + parts.flatMap { $0 }, failure, resetting: untouched && run.failures == 1)
                    throw failure
                }
            } catch {
                throw DomainError(error)
            }
        }
    }

    /// Acknowledges results, in a transaction of its own that can be repeated alone.
    private func take(
        _ answers: [PushAnswer], for entries: [OutboxEntry], _ run: inout PushRun, _ report: inout SyncReport
    ) async throws(DomainError) {
        let sent = Dictionary(entries.map { ($0.id, $0.mutation) }, uniquingKeysWith: { first, _ in first })
        let (delta, answered) = try await access { access in
            var delta = SyncReport()
            var answered: Set<Mutation.ID> = []
            for answer in answers where !answer.isPassing {
                guard let write = sent[answer.id] else { continue }
                let key = EntityKey(collection: write.collection, id: write.entityId)
                // A result with another row is not an answer to this mutation.
                guard answer.row.map({ $0 == key }) ?? true, !answered.contains(answer.id),
                    let local = try access.fetchIntact(key)
                else { continue }
                answered.insert(answer.id)
                switch answer {
                case .result(var result):
                    result.current = result.current.map(access.present)
                    let decision = SyncPlanner.acknowledge(result, in: local, access.context(write.collection))
                    try access.persist(decision.state, over: local, isLocal: false)
                    delta.add(decision.report)
                case .outcome(_, let outcome): delta.add(try access.acknowledge(outcome, of: write, in: local))
                }
            }
            return (delta, answered)
        }
        report.add(delta)
        run.answers += answered.count
        let silent = entries.filter { !answered.contains($0.id) }
        guard !silent.isEmpty else { return }
        let failure = Self.explanation(of: silent, answers)
        try await postpone(silent, failure, resetting: false)
        run.unanswered.formUnion(silent.map(\.id))
        run.failure = failure
    }

    private static func explanation(of silent: [OutboxEntry], _ answers: [PushAnswer]) -> DomainError {
        let passing = answers.first { answer in answer.isPassing && silent.contains { $0.id == answer.id } }
        if case .result(let result)? = passing, let problem = result.error {
            let text = problem.detail ?? problem.title
            return [408, 425, 429, 503].contains(problem.status) ? .busy(text) : .unavailable(text)
        }
        return .unexpected("The server gave no result for \(silent.count) writes; they stay queued.")
    }

    private func refuse(
        _ entries: [OutboxEntry], _ error: NetworkError, _ report: inout SyncReport
    ) async throws(DomainError) {
        let reason = DomainError(error).description
        let delta = try await access { access in
            var delta = SyncReport()
            for entry in entries {
                let key = EntityKey(collection: entry.mutation.collection, id: entry.mutation.entityId)
                guard let local = try access.fetchIntact(key), local.queue.first?.id == entry.id else { continue }
                let decision = SyncPlanner.rejected(reason, in: local, access.context(local.key.collection))
                try access.persist(decision.state, over: local, isLocal: false)
                delta.add(decision.report)
            }
            return delta
        }
        report.add(delta)
    }

    /// Lets entries wait. An entry is never dropped, however often it fails.
    ///
    /// - Parameter resetting: No server takes a copy of the request later, since none saw it or its cursor is refused for good:
    ///   entries that were not sent before count as never sent.
    private func postpone(
        _ entries: [OutboxEntry], _ failure: DomainError, resetting: Bool
    ) async throws(DomainError) {
        let asked: Duration? = if case .busy(_, let wait) = failure { wait } else { nil }
        let random = random
        try await access { access in
            let update = try access.tables.db.cachedStatement(
                sql: """
                    UPDATE outbox SET state = ?, attempts = ?, next_attempt_at = ?, error = ?
                    WHERE client_seq = ? AND mutation_id = ? AND state = 'inflight'
                    """)
            for entry in entries {
                let attempts = entry.attempts + 1
                let wait = max(Backoff.outbox.wait(after: attempts, random: random.fraction()), asked ?? .zero)
                let next = access.now.addingTimeInterval(wait.inSeconds)
                let state: OutboxEntry.State = resetting && entry.state == .pending ? .pending : .inflight
                try update.execute(arguments: [
                    state.rawValue, attempts, next.milliseconds, failure.description, entry.mutation.clientSeq,
                    entry.id,
                ])
            }
        }
    }
}

extension PushAnswer {
    /// A refusal that is the server's own failure, not the mutation's, or none at all: it may be accepted later as it is.
    fileprivate var isPassing: Bool {
        guard case .result(let result) = self else { return false }
        return result.status == .deferred || result.status == .rejected && (result.error?.status ?? 0) >= 500
    }

    /// The row that the answer names; `nil` when it names none.
    fileprivate var row: EntityKey? {
        if case .result(let result) = self { result.current?.key } else { nil }
    }
}
