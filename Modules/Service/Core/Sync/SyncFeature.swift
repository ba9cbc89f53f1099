import FoundationEssentials
import Logging
import StrataConcurrency
public import StrataDomain

/// `/v1/sync/…`: pull, push, digest and snapshot for clients with an offline store.
struct SyncFeature: FeatureService {
    let migrations = [
        ChangeLog.migration, SyncTables.migration, DigestTable.migration, SyncTimelines.migration, SyncTables.clients,
        ChangeLog.ownerMigration, ChangeOrder.migration, DigestTable.changesMigration, RowChanges.migration,
    ]

    private let collections: [String: any SyncedCollection]
    private let store: any Store
    private let signal: CommitSignal
    private let timers: TimerQueue
    private let reader: ChangesReader
    private let runner: MutationRunner
    private let metrics: SyncMetrics
    /// Lives as long as the routes.
    private let tables: RelatedTables

    /// How often a long poll checks for commits of other processes.
    private let interval: Duration = .seconds(2)
    /// When it looks again for a change that waits for an older write; then after twice the time, up to `interval`.
    private static let firstLook: Duration = .milliseconds(5)

    init(
        collections: [any SyncedCollection], tables: RelatedTables, store: any Store, signal: CommitSignal,
        timers: TimerQueue,
        metrics: PrometheusRegistry, logger: Logger
    ) {
        let byName = Dictionary(collections.map { ($0.name, $0) }) { first, _ in first }
        self.collections = byName
        self.tables = tables
        self.store = store
        self.signal = signal
        self.timers = timers
        self.metrics = SyncMetrics(metrics)
        reader = ChangesReader(collections: byName)
        runner = MutationRunner(collections: byName, reader: reader, logger: logger)
    }

    func mount(on routes: inout APIRoutes) {
        routes.handle(PullChanges.self, for: .users) { call, scope in try await pull(call, scope) }
        routes.handle(PushMutations.self, for: .users) { call, scope in try await push(call.batch, scope) }
        routes.handle(FetchDigest.self, for: .users) { call, scope in
            try await settling { reader in
                let position = try SyncTables.position(in: reader)
                return (try digest(call, scope, position, reader), position)
            }
        }
        routes.stream(FetchSnapshot.self, for: .users) { call, scope in try await snapshot(call, scope) }
    }

    /// Sets the epoch of a new database and begins a timeline. Safe to repeat.
    func prepare(at now: Date) async throws { try await SyncTables.prepare(store, at: now) }

    func prune(at now: Date) async throws {
        try await store.write { transaction in try SyncTables.prune(at: now, in: transaction) }
    }

    /// Keeps the digest quick to read where writers run side by side; called every few seconds.
    func tidyUp() async throws {
        if store.hasConcurrentWriters { try await SyncTables.foldDigest(store.quiet) }
    }

    // MARK: Pull

    /// The validated parameters of a pull.
    private struct Pull: Sendable {
        var cursor: SyncCursor?
        var limit: Int
        var collections: String?
        var client: String?
        var owner: Principal
    }

    private func pull(_ call: PullChanges, _ scope: RequestScope) async throws -> ChangesPage {
        let owner = try scope.caller()
        if let client = call.clientId, !IdempotencyClaim.isKey(client) {
            throw EndpointError(
                .malformed, in: .query, key: "client_id", expected: "1 to 255 visible ASCII characters")
        }
        let pull = Pull(
            cursor: try call.cursor.map(SyncCursor.init(received:)),
            limit: try Self.checked(call.limit, 1...1000, default: 500, "limit"),
            collections: call.collections, client: call.clientId, owner: owner)
        let wait = min(
            .seconds(try Self.checked(call.wait, 0...30, default: 0, "wait")), Self.longestWait(within: scope.timeLeft))
        let page = try await settling { snapshot in try self.page(pull, in: snapshot) }
        guard page.changes.isEmpty, pull.cursor != nil, wait > .zero else { return metrics.pulled(page) }
        let later = try await metrics.countingLongPoll {
            try await withTimeLimit(until: timers.now + wait, on: timers) { try await nextPage(pull) }
        }
        return metrics.pulled(later ?? page)
    }

    /// How long a long poll may last so that its response arrives before the deadline of the caller.
    private static func longestWait(within timeLeft: Duration?) -> Duration {
        guard let timeLeft else { return .seconds(30) }
        return max(timeLeft - .milliseconds(500), timeLeft / 2)
    }

    /// Waits for a page with changes, or for the drain.
    private func nextPage(_ pull: Pull) async throws -> ChangesPage {
        var (line, wait) = (0, Self.firstLook)
        while true {
            let seen = signal.generation
            let (page, position) = try await store.read { snapshot in try self.page(pull, in: snapshot) }
            guard page.changes.isEmpty, !signal.isClosed else { return page }
            // The end of an older write may raise no signal. One that stays open, perhaps of another program, must not make each
            // waiting client ask all the time.
            wait = position.line > line ? Self.firstLook : min(wait * 2, interval)
            line = position.line
            let isBehind = position.newest > position.line
            try await signal.wait(
                after: seen, until: WaitLimit(at: timers.now + (isBehind ? wait : interval), on: timers))
            try Task.checkCancellation()
        }
    }

    private func page(_ pull: Pull, in snapshot: any StoreReader) throws -> (ChangesPage, SyncTables.Position) {
        let position = try SyncTables.position(in: snapshot)
        // A membership may end while a long poll waits.
        let scope = try SyncScope(pull.collections, of: pull.owner, collections, in: snapshot)
        var page = try reader.page(after: pull.cursor, position, limit: pull.limit, of: scope, in: snapshot)
        if let client = pull.client { page.acked = try SyncTables.acked(client, of: pull.owner, in: snapshot) }
        return (page, position)
    }

    /// The result of a read that shows what was committed before it began. Where writers run side by side, a change stays invisible
    /// to clients while an older write is open. Most end within milliseconds, so the read is repeated, for a second at most. Then
    /// it shows less.
    private func settling<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> (Result, SyncTables.Position)
    ) async throws -> Result {
        var goal: Int?
        var wait = Duration.milliseconds(1)
        while true {
            let (result, position) = try await store.read(body)
            let isSettled = position.line >= goal ?? position.newest
            guard store.hasConcurrentWriters, !isSettled, wait < .milliseconds(600) else { return result }
            goal = goal ?? position.newest
            // For the database, which knows no other clock.
            try await ContinuousClock().sleep(for: wait)
            wait *= 2
        }
    }

    private static func checked(
        _ value: Int?, _ range: ClosedRange<Int>, default fallback: Int, _ name: String
    ) throws -> Int {
        guard let value else { return fallback }
        guard range.contains(value) else {
            throw EndpointError(
                .malformed, in: .query, key: name, expected: "between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
    }

    // MARK: Digest and snapshot

    private func digest(
        _ call: FetchDigest, _ scope: RequestScope, _ position: SyncTables.Position, _ reader: any StoreReader
    ) throws -> SyncDigest {
        let wanted = try SyncScope(call.collections, of: try scope.caller(), collections, in: reader)
        // Behind an open writer a client may have rows of its own beyond `seq`, which the digest lacks. With a version that no
        // client has reached, none compares.
        return SyncDigest(
            epoch: position.epoch, upTo: position.newest > position.line ? position.newest : position.seq,
            collections: try DigestTable.digest(
                of: wanted.collections, owners: wanted.owners, upTo: position.seq, in: reader))
    }

    private func snapshot(_ call: FetchSnapshot, _ scope: RequestScope) async throws -> StreamResponse {
        let caller = try scope.caller()
        let limit = try Self.checked(call.limit, 1...10_000, default: 1000, "limit")
        let bucket = try call.bucket.map { try Self.checked($0, 0...RowDigest.buckets - 1, default: 0, "bucket") }
        let reader = SnapshotReader(
            collections: collections, names: call.collections, caller: caller, limit: limit)
        let start = try await settling { snapshot in
            (
                try reader.start(at: call.page, bucket: bucket, in: snapshot),
                try SyncTables.position(in: snapshot)
            )
        }
        metrics.snapshotBegan()
        let source = SnapshotSource(reader: reader, store: store, signal: signal)
        return StreamResponse(mediaType: "application/x-ndjson", first: try await source.chunk(from: start))
    }

    // MARK: Push

    private func push(_ batch: MutationBatch, _ scope: RequestScope) async throws -> MutationResults {
        let principal = try scope.caller()
        try Self.check(batch)
        let cursor = try batch.cursor.map(SyncCursor.init(received:))
        // One transaction and one flush for the batch, one savepoint for each mutation. The response follows the commit.
        let (results, repeated) = try await overKnownMutations(of: batch, at: cursor, by: principal) { runner in
            try await store.write { transaction in
                if transaction.concurrentWriters == nil { try Self.checkHistory(of: cursor, in: transaction) }
                if let known = runner.known { transaction.changes?.absent = known.absent }
                var run = MutationBatchRunner(runner, by: principal, at: scope.now, in: transaction)
                let results = try run.run(batch.mutations)
                let settled = zip(batch.mutations, results).filter { !$1.isTransient }.map(\.0.clientSeq)
                if let last = settled.max(), last > 0 {
                    try SyncTables.acknowledge(last, batch.clientId, of: principal, at: scope.now, in: transaction)
                }
                return (results, run.repeated)
            }
        }
        metrics.pushed(results, repeated: repeated)
        return MutationResults(results: results)
    }

    /// Runs `body`, where writers run side by side with what a read before it found. After `StaleRead` the transaction reads that
    /// itself: then the violation of another constraint than that of the id is told from it, and rejects its mutation.
    private func overKnownMutations<Result: Sendable>(
        of batch: MutationBatch, at cursor: SyncCursor?, by principal: Principal,
        _ body: (MutationRunner) async throws -> Result
    ) async throws -> Result {
        guard store.hasConcurrentWriters else { return try await body(runner) }
        var informed = runner
        informed.known = try await store.read { [collections] reader in
            // Inside of the transaction, the look at the last change would make all batches depend on each other.
            try Self.checkHistory(of: cursor, in: reader)
            return try KnownMutations(batch.mutations, of: principal, collections, in: reader)
        }
        do { return try await body(informed) } catch is StaleRead {}
        for _ in 1..<StaleRead.mostRuns {
            do { return try await body(runner) } catch is StaleRead {}
        }
        throw StoreError.unavailable("the same mutations are sent several times at once")
    }

    /// - Throws: 409 for a cursor from before the data was replaced.
    private static func checkHistory(of cursor: SyncCursor?, in reader: any StoreReader) throws {
        guard let cursor else { return }
        try cursor.origin.checkHistory(
            upTo: cursor.upTo ?? cursor.after, SyncTables.position(in: reader), in: reader)
    }

    private static func check(_ batch: MutationBatch) throws {
        var flaws: [FieldError] = []
        if batch.mutations.count > MutationBatch.limit {
            flaws.append(
                FieldError(field: "mutations", message: "must be at most \(MutationBatch.limit) at a time"))
        }
        if !IdempotencyClaim.isKey(batch.clientId) {
            flaws.append(FieldError(field: "client_id", message: "must be 1 to 255 visible ASCII characters"))
        }
        guard flaws.isEmpty else { throw ServiceError.validation(flaws) }
    }
}

extension PushMutations: BodyLimited {
    /// Room for a full batch of long texts.
    public static let bodyLimit = 8 * 1024 * 1024
}
