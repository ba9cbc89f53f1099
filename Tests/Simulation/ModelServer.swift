import FoundationEssentials
import StrataDomain

/// A model of the backend in memory: versions from one counter, stored results, tombstones, rounds of pages with a fixed end,
/// epochs and a digest. It can be backed up and restored, and can drop its tombstones.
// Sendable proof: only the thread of the scheduler touches it.
final class ModelServer: @unchecked Sendable {
    struct Key: Hashable, Comparable {
        var collection: String
        var id: String
        static func < (left: Key, right: Key) -> Bool { (left.collection, left.id) < (right.collection, right.id) }
    }

    struct Row: Hashable {
        var version: Int
        /// `nil` for a tombstone.
        var data: [String: JSONValue]?
    }

    /// The content of a backup.
    struct State {
        var seq = 0
        var rows: [Key: Row] = [:]
        var log: [Mutation.ID: MutationResult] = [:]
        var horizon = 0
        var effects: Set<Mutation.ID> = []
        /// The number of the last tag in effect, by writer and field.
        var lastTags: [String: Int] = [:]
    }

    private(set) var state = State()
    private(set) var epoch = 1
    /// All tags that were ever in effect, including those that a restore undid.
    private(set) var applied: Set<String> = []
    /// The violations by clients.
    private(set) var broken: [String] = []
    private var answers: [Mutation.ID: MutationResult] = [:]
    private var backups: [State] = []
    private var waiters: [() -> Void] = []
    var forgetsResults = false
    var digests = 0

    /// The live rows by key.
    var live: [Key: [String: JSONValue]] { state.rows.compactMapValues(\.data) }

    // MARK: - What others do

    func put(_ key: Key, _ fields: [String: JSONValue]) {
        store((state.rows[key]?.data ?? [:]).merging(fields) { $1 }, key)
    }

    func remove(_ key: Key) { if state.rows[key]?.data != nil { store(nil, key) } }

    func backUp() { backups = [state] }

    /// - Returns: Whether there was a backup.
    func restore() -> Bool {
        guard let backup = backups.last else { return false }
        state = backup
        epoch += 1
        answers = state.log
        wake()
        return true
    }

    /// Drops all tombstones; earlier cursors expire.
    func prune() {
        state.rows = state.rows.filter { $0.value.data != nil }
        state.horizon = state.seq
    }

    // MARK: - Mutations

    func push(_ batch: MutationBatch) -> Result<MutationResults, NetworkError> {
        if let cursor = batch.cursor, let epoch = Int(cursor.split(separator: "/")[0]), epoch != self.epoch {
            return .failure(NetworkError(.conflict(Self.problem(409, SyncCode.epochChanged))))
        }
        return .success(MutationResults(results: batch.mutations.map { result(of: $0, by: batch.clientId) }))
    }

    func isPoisoned(_ batch: MutationBatch) -> Bool { batch.mutations.contains(where: Self.isPoison) }

    private static func isPoison(_ mutation: Mutation) -> Bool {
        mutation.fields.values.contains { $0.string?.hasSuffix("!") ?? false }
    }

    private func result(of mutation: Mutation, by client: String) -> MutationResult {
        if let known = state.log[mutation.id] { return known }
        let result = effect(of: mutation, by: client)
        if let earlier = answers[mutation.id], earlier != result {
            broken.append("\(client): \(mutation.entityId) has two answers, \(earlier.status) and \(result.status)")
        }
        answers[mutation.id] = result
        if !forgetsResults { state.log[mutation.id] = result }
        return result
    }

    private func effect(of mutation: Mutation, by client: String) -> MutationResult {
        if Self.isPoison(mutation) {
            return MutationResult(id: mutation.id, status: .rejected, error: Self.problem(422, "poison"))
        }
        let key = Key(collection: mutation.collection, id: mutation.entityId)
        let row = state.rows[key]
        let isConflict =
            switch mutation.operation {
            case .create: row?.data != nil
            case .patch, .delete: row?.data == nil || row?.version != mutation.baseVersion
            }
        if isConflict {
            return MutationResult(id: mutation.id, status: .conflict, current: row.map { change(key, $0) })
        }
        if !state.effects.insert(mutation.id).inserted { broken.append("\(mutation.id) took effect twice") }
        note(mutation, key, by: client)
        let data: [String: JSONValue]? =
            switch mutation.operation {
            case .create: mutation.fields
            case .patch: (row?.data ?? [:]).merging(mutation.fields) { $1 }
            case .delete: nil
            }
        store(data, key)
        return MutationResult(id: mutation.id, status: .applied, version: state.seq)
    }

    /// Writes of one client to one field take effect in the order in which they were made.
    private func note(_ mutation: Mutation, _ key: Key, by client: String) {
        for (field, value) in mutation.fields {
            guard let tag = value.string else { continue }
            applied.insert(tag)
            let parts = tag.split(separator: "#")
            guard parts.count == 2, parts[0] == client, let number = Int(parts[1]) else { continue }
            let place = "\(client) \(key.collection) \(key.id) \(field)"
            if let last = state.lastTags[place], last > number {
                broken.append("\(place): write \(number) took effect after \(last)")
            }
            state.lastTags[place] = number
        }
    }

    private func store(_ data: [String: JSONValue]?, _ key: Key) {
        state.seq += 1
        state.rows[key] = Row(version: state.seq, data: data?.filter { $0.value != .null })
        wake()
    }

    // MARK: - Changes

    /// Calls `news` at the next commit.
    func wait(_ news: @escaping () -> Void) { waiters.append(news) }

    private func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter() }
    }

    func pull(_ request: PullChanges) -> Result<ChangesPage, NetworkError> {
        var (after, upTo, isReplacement) = (0, state.seq, true)
        if let cursor = request.cursor {
            let parts = cursor.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 4 else { return failure(400, SyncCode.invalidCursor) }
            guard parts[0] == epoch else { return failure(409, SyncCode.epochChanged) }
            (after, isReplacement) = (parts[1], parts[3] == 1)
            guard isReplacement || after >= state.horizon else { return failure(410, SyncCode.cursorExpired) }
            upTo = parts[2] > 0 ? parts[2] : state.seq
        }
        let due = state.rows.filter { after < $0.value.version && $0.value.version <= upTo }
            .filter { !isReplacement || $0.value.data != nil }
            .sorted { $0.value.version < $1.value.version }
        let limit = request.limit ?? 500
        let hasMore = due.count > limit
        let shown = due.prefix(limit)
        let reached = hasMore ? shown.last?.value.version ?? after : upTo
        let next = "\(epoch)/\(reached)/\(hasMore ? upTo : 0)/\(hasMore && isReplacement ? 1 : 0)"
        return .success(
            ChangesPage(
                changes: shown.map { change($0.key, $0.value) }, cursor: next, hasMore: hasMore,
                isReplacement: isReplacement, upTo: upTo, head: state.seq))
    }

    func digest() -> SyncDigest {
        digests += 1
        var rows: [String: [Int: RowDigest]] = [:]
        for (key, row) in state.rows where row.data != nil {
            let hash = RowHash(id: key.id, version: row.version)
            rows[key.collection, default: [:]][hash.bucket, default: RowDigest()].insert(hash)
        }
        let collections = rows.sorted { $0.key < $1.key }.map { name, buckets in
            CollectionDigest(
                collection: name,
                buckets: buckets.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
        }
        return SyncDigest(epoch: "\(epoch)", upTo: state.seq, collections: collections)
    }

    /// The live rows of one bucket.
    func snapshot(_ collection: String, bucket: Int) -> (rows: [SyncChange], upTo: Int) {
        let rows = state.rows.filter { key, row in
            key.collection == collection && row.data != nil && RowHash(id: key.id, version: 0).bucket == bucket
        }
        return (rows.sorted { $0.key < $1.key }.map { change($0.key, $0.value) }, state.seq)
    }

    func change(_ key: Key, _ row: Row) -> SyncChange {
        SyncChange(
            collection: key.collection, id: key.id, version: row.version,
            updatedAt: Date(timeIntervalSince1970: 1_800_000_000 + Double(row.version)),
            operation: row.data == nil ? .delete : .put, data: row.data)
    }

    func failure<Value>(_ status: Int, _ code: String) -> Result<Value, NetworkError> {
        let problem = Self.problem(status, code)
        let kind: NetworkError.Kind =
            switch status {
            case 400: .validation(problem)
            case 409: .conflict(problem)
            default: .status(status, problem)
            }
        return .failure(NetworkError(kind))
    }

    static func problem(_ status: Int, _ code: String) -> Problem {
        Problem(title: code, status: status, detail: "The server says \(code).", code: code)
    }
}
