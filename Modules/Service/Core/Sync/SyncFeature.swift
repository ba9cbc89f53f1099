import FoundationEssentials
import Logging
import StrataConcurrency
public import StrataDomain

/// `/v1/sync/…`: pull, push, digest and snapshot for clients with an offline store.
struct SyncFeature: FeatureService {
    let migrations = [
        ChangeLog.migration, SyncTables.migration, DigestTable.migration, SyncTimelines.migration, SyncTables.clients,
        ChangeLog.ownerMigration,
    ]

    private let collections: [String: any SyncedCollection]
    private let store: any Store
    private let signal: CommitSignal
    private let timers: TimerQueue
    private let reader: ChangesReader
    private let runner: MutationRunner
    private let metrics: SyncMetrics

    /// How often a long poll checks for commits of other processes.
    private let interval: Duration = .seconds(2)

    init(
        collections: [any SyncedCollection], store: any Store, signal: CommitSignal, timers: TimerQueue,
        metrics: PrometheusRegistry, logger: Logger
    ) {
        let byName = Dictionary(collections.map { ($0.name, $0) }) { first, _ in first }
        self.collections = byName
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
        routes.read(FetchDigest.self, for: .users) { call, scope, reader in try digest(call, scope, reader) }
        routes.stream(FetchSnapshot.self, for: .users) { call, scope in try await snapshot(call, scope) }
    }

    /// Sets the epoch of a new database and begins a timeline. Safe to repeat.
    func prepare(at now: Date) async throws { try await SyncTables.prepare(store, at: now) }

    func prune(at now: Date) async throws {
        try await store.write { transaction in try SyncTables.prune(at: now, in: transaction) }
    }

    // MARK: Pull

    /// The validated parameters of a pull.
    private struct Pull: Sendable {
        var cursor: SyncCursor?
        var limit: Int
        var scope: SyncScope
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
            scope: try SyncScope(call.collections, of: owner, collections), client: call.clientId, owner: owner)
        let wait = min(
            .seconds(try Self.checked(call.wait, 0...30, default: 0, "wait")), Self.longestWait(within: scope.timeLeft))
        let page = try await page(pull)
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
        while true {
            let seen = signal.generation
            let page = try await page(pull)
            guard page.changes.isEmpty, !signal.isClosed else { return page }
            try await signal.wait(after: seen, until: WaitLimit(at: timers.now + interval, on: timers))
            try Task.checkCancellation()
        }
    }

    private func page(_ pull: Pull) async throws -> ChangesPage {
        try await store.read { snapshot in
            var page = try reader.page(after: pull.cursor, limit: pull.limit, of: pull.scope, in: snapshot)
            if let client = pull.client { page.acked = try SyncTables.acked(client, of: pull.owner, in: snapshot) }
            return page
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
        _ call: FetchDigest, _ scope: RequestScope, _ reader: any StoreReader
    ) throws -> SyncDigest {
        let wanted = try SyncScope(call.collections, of: try scope.caller(), collections)
        let position = try SyncTables.position(in: reader)
        return SyncDigest(
            epoch: position.epoch, upTo: position.seq,
            collections: try DigestTable.digest(of: wanted.collections, owners: wanted.owners, in: reader))
    }

    private func snapshot(_ call: FetchSnapshot, _ scope: RequestScope) async throws -> StreamResponse {
        let wanted = try SyncScope(call.collections, of: try scope.caller(), collections)
        let limit = try Self.checked(call.limit, 1...10_000, default: 1000, "limit")
        let bucket = try call.bucket.map { try Self.checked($0, 0...RowDigest.buckets - 1, default: 0, "bucket") }
        let reader = SnapshotReader(collections: collections, scope: wanted, limit: limit)
        let start = try await store.read { snapshot in
            try reader.start(at: call.page, bucket: bucket, in: snapshot)
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
        let (results, repeated) = try await store.write { transaction in
            if let cursor {
                let position = try SyncTables.position(in: transaction)
                try cursor.origin.checkHistory(upTo: cursor.upTo ?? cursor.after, position, in: transaction)
            }
            var run = MutationBatchRunner(runner, by: principal, at: scope.now, in: transaction)
            let results = try run.run(batch.mutations)
            let settled = zip(batch.mutations, results).filter { !$1.isTransient }.map(\.0.clientSeq)
            if let last = settled.max(), last > 0 {
                try SyncTables.acknowledge(last, batch.clientId, of: principal, at: scope.now, in: transaction)
            }
            return (results, run.repeated)
        }
        metrics.pushed(results, repeated: repeated)
        return MutationResults(results: results)
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
