import FoundationEssentials
import StrataDomain
import StrataTesting

/// A model of the backend in memory: versions from one counter, stored results, tombstones, rounds of pages with a fixed end,
/// epochs and a digest. It can be backed up and restored, and can drop its tombstones.
// Sendable proof: only the thread of the scheduler touches it.
final class ModelServer: @unchecked Sendable {
    typealias Key = SyncServerModel.Key
    typealias Row = SyncServerModel.Row

    /// The content of a backup.
    @dynamicMemberLookup
    struct State {
        var model = SyncServerModel(repeatsRowFields: false)
        var log: [Mutation.ID: MutationResult] = [:]
        var effects: Set<Mutation.ID> = []
        /// The number of the last tag in effect, by writer and field.
        var lastTags: [String: Int] = [:]

        subscript<Value>(dynamicMember path: KeyPath<SyncServerModel, Value>) -> Value { model[keyPath: path] }
    }

    private(set) var state = State()
    /// All tags that were ever in effect, including those that a restore undid.
    private(set) var applied: Set<String> = []
    /// The violations by clients.
    private(set) var broken: [String] = []
    private var answers: [Mutation.ID: MutationResult] = [:]
    private var backups: [State] = []
    private var waiters: [() -> Void] = []
    var forgetsResults = false
    var digests = 0

    var epoch: Int { state.epoch }
    /// The live rows by key.
    var live: [Key: [String: JSONValue]] { state.model.live }

    // MARK: - What others do

    func put(_ key: Key, _ fields: [String: JSONValue]) {
        state.model.merge(fields, at: key)
        wake()
    }

    func remove(_ key: Key) {
        guard state.rows[key]?.data != nil else { return }
        state.model.store(nil, at: key)
        wake()
    }

    func backUp() { backups = [state] }

    /// - Returns: Whether there was a backup.
    func restore() -> Bool {
        guard let backup = backups.last else { return false }
        let epoch = state.epoch + 1
        state = backup
        state.model.epoch = epoch
        answers = state.log
        wake()
        return true
    }

    /// Drops all tombstones; earlier cursors expire.
    func prune() { state.model.prune() }

    // MARK: - Mutations

    func push(_ batch: MutationBatch) -> Result<MutationResults, NetworkError> {
        Result { () throws(NetworkError) in
            try state.model.check(cursor: batch.cursor)
            return MutationResults(results: batch.mutations.map { result(of: $0, by: batch.clientId) })
        }
    }

    func isPoisoned(_ batch: MutationBatch) -> Bool { batch.mutations.contains(where: Self.isPoison) }

    private static func isPoison(_ mutation: Mutation) -> Bool {
        mutation.fields.values.contains { $0.string?.hasSuffix("!") ?? false }
    }

    private func result(of mutation: Mutation, by client: String) -> MutationResult {
        if let known = state.log[mutation.id] { return state.model.repeated(known, of: mutation) }
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
            return MutationResult(
                id: mutation.id, status: .rejected, error: SyncServerModel.problem(422, "poison"))
        }
        let result = state.model.apply(mutation)
        guard result.status == .applied else { return result }
        if !state.effects.insert(mutation.id).inserted { broken.append("\(mutation.id) took effect twice") }
        note(mutation, Key(mutation), by: client)
        wake()
        return result
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

    // MARK: - Changes

    /// Calls `news` at the next commit.
    func wait(_ news: @escaping () -> Void) { waiters.append(news) }

    private func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter() }
    }

    func pull(_ request: PullChanges) -> Result<ChangesPage, NetworkError> {
        Result { () throws(NetworkError) in try state.model.page(request) }
    }

    func digest() -> SyncDigest {
        digests += 1
        return state.model.digest()
    }

    /// A snapshot, or one bucket, from a page mark to its end.
    func snapshot(_ call: FetchSnapshot) -> Result<String, NetworkError> {
        Result { () throws(NetworkError) in try state.model.snapshot(call) }
    }
}
