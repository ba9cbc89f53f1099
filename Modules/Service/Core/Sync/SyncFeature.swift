import FoundationEssentials
import Logging
public import StrataDomain

/// `/v1/sync/…`: what clients with an offline store push and pull.
struct SyncFeature: FeatureService {
    let migrations = [ChangeLog.migration, SyncTables.migration]

    private let store: any Store
    private let signal: CommitSignal
    private let clock: any Clock<Duration>
    private let reader: ChangesReader
    private let runner: MutationRunner

    /// How often a waiting pull looks for commits that were not made through this process.
    private let tick: Duration = .seconds(2)

    init(
        collections: [any SyncedCollection], store: any Store, signal: CommitSignal, clock: any Clock<Duration>,
        logger: Logger
    ) {
        let byName = Dictionary(collections.map { ($0.name, $0) }) { first, _ in first }
        self.store = store
        self.signal = signal
        self.clock = clock
        reader = ChangesReader(collections: byName)
        runner = MutationRunner(collections: byName, reader: reader, logger: logger)
    }

    func mount(on routes: inout APIRoutes) {
        routes.handle(PullChanges.self, for: .users) { call, _ in try await pull(call) }
        routes.handle(PushMutations.self, for: .users) { call, scope in try await push(call.batch, scope) }
    }

    /// Gives a new database its epoch.
    func prepare() async throws { try await SyncTables.prepare(store) }

    func prune(at now: Date) async throws {
        try await store.write { transaction in try SyncTables.prune(at: now, in: transaction) }
    }

    // MARK: Pull

    private func pull(_ call: PullChanges) async throws -> ChangesPage {
        let limit = try Self.checked(call.limit, 1...1000, default: 500, "limit")
        let wait = try Self.checked(call.wait, 0...30, default: 0, "wait")
        let cursor = try call.cursor.map { text in
            guard let cursor = SyncCursor(text) else {
                throw ServiceError(
                    400, code: "invalid_cursor", title: "Invalid cursor",
                    detail: "This cursor was not written by this server; start again without a cursor.")
            }
            return cursor
        }
        let page = try await page(after: cursor, limit)
        guard page.changes.isEmpty, let cursor, wait > 0 else { return page }
        return try await within(.seconds(wait), on: clock) { try await news(after: cursor, limit) } ?? page
    }

    /// Waits until there is a page with changes, or the service stops.
    private func news(after cursor: SyncCursor, _ limit: Int) async throws -> ChangesPage {
        while true {
            let seen = signal.generation
            let page = try await page(after: cursor, limit)
            guard page.changes.isEmpty, !signal.isClosed else { return page }
            _ = try await within(tick, on: clock) { await signal.wait(after: seen) }
            try Task.checkCancellation()
        }
    }

    private func page(after cursor: SyncCursor?, _ limit: Int) async throws -> ChangesPage {
        try await store.read { snapshot in try reader.page(after: cursor, limit: limit, in: snapshot) }
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

    // MARK: Push

    private func push(_ batch: MutationBatch, _ scope: RequestScope) async throws -> MutationResults {
        let principal = try scope.caller()
        guard batch.mutations.count <= MutationBatch.limit else {
            throw ServiceError.validation([
                FieldError(field: "mutations", message: "must be at most \(MutationBatch.limit) at a time")
            ])
        }
        // One transaction for the batch, one savepoint for each mutation: one flush to disk, and still each mutation
        // stands for itself. The answer is sent after the commit.
        let results = try await store.write { transaction in
            try batch.mutations.map { mutation in
                try runner.result(of: mutation, by: principal, at: scope.now, in: transaction)
            }
        }
        return MutationResults(results: results)
    }
}

extension PushMutations: BodyLimited {
    /// A full batch of long texts.
    public static let bodyLimit = 8 * 1024 * 1024
}
