import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// A working backend of the sync protocol in memory: versions from one counter, a log of mutations with their results,
/// tombstones, rounds of pages up to a fixed point, epochs. Everything passes through JSON on its way.
final class FakeSyncServer: Sendable {
    struct Row: Hashable {
        var version: Int
        var updatedAt: Date
        /// `nil` for a tombstone.
        var data: [String: JSONValue]?
    }

    struct Key: Hashable, Comparable {
        var collection: String
        var id: String
        static func < (left: Key, right: Key) -> Bool { (left.collection, left.id) < (right.collection, right.id) }
    }

    struct State {
        var epoch = 1
        var seq = 0
        var rows: [Key: Row] = [:]
        var log: [Mutation.ID: (mutation: Mutation, result: MutationResult)] = [:]
        /// Cursors below this have expired.
        var horizon = 0
        /// Mutations in effect, in order; an id in here twice is a broken promise.
        var effects: [Mutation.ID] = []
        /// Ids that came back with another payload; must stay empty.
        var broken: [String] = []
        var received: [[Mutation.ID]] = []
        var pulls: [String?] = []
        var refuse: @Sendable (Mutation) -> Problem? = { _ in nil }
        var tidy: @Sendable ([String: JSONValue]) -> [String: JSONValue] = { $0 }
    }

    private let state = Mutex(State())

    func with<Value>(_ body: (inout sending State) -> sending Value) -> sending Value { state.withLock(body) }

    var rows: [Key: Row] { state.withLock { $0.rows } }
    /// Content of the live rows of one collection.
    func live(_ collection: String) -> [String: [String: JSONValue]] {
        Dictionary(
            uniqueKeysWithValues: rows.compactMap { key, row in
                key.collection == collection ? row.data.map { (key.id, $0) } : nil
            })
    }

    // MARK: - Writes of other users

    /// A write by another client, without going through the protocol.
    @discardableResult
    func put(_ collection: String, _ id: String, _ fields: [String: JSONValue]) -> Int {
        state.withLock { state in
            let key = Key(collection: collection, id: id)
            let data = (state.rows[key]?.data ?? [:]).merging(fields) { $1 }.filter { $0.value != .null }
            return Self.store(data, key, &state)
        }
    }

    @discardableResult
    func remove(_ collection: String, _ id: String) -> Int {
        state.withLock { Self.store(nil, Key(collection: collection, id: id), &$0) }
    }

    // MARK: - The protocol

    /// - Throws: When the batch carries a cursor of an earlier life of the data, or none that was ever given out.
    func push(_ batch: MutationBatch) throws(NetworkError) -> MutationResults {
        let answer = state.withLock { state -> Result<MutationResults, NetworkError> in
            if let cursor = batch.cursor {
                let parts = cursor.split(separator: "/").compactMap { Int($0) }
                guard parts.count == 4 else {
                    return .failure(NetworkError(.validation(Self.problem(400, SyncCode.invalidCursor))))
                }
                guard parts[0] == state.epoch else {
                    return .failure(NetworkError(.conflict(Self.problem(409, SyncCode.epochChanged))))
                }
            }
            state.received.append(batch.mutations.map(\.id))
            return .success(MutationResults(results: batch.mutations.map { Self.result(of: $0, &state) }))
        }
        return try answer.get()
    }

    func pull(_ request: PullChanges) throws(NetworkError) -> ChangesPage {
        let answer = state.withLock { state -> Result<ChangesPage, NetworkError> in
            state.pulls.append(request.cursor)
            return Result { () throws(NetworkError) in try Self.page(request, state) }
        }
        return try answer.get()
    }

    func digest() -> SyncDigest {
        state.withLock { state in
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
            return SyncDigest(epoch: "\(state.epoch)", upTo: state.seq, collections: collections)
        }
    }

    private static func result(of mutation: Mutation, _ state: inout State) -> MutationResult {
        if let known = state.log[mutation.id] {
            if known.mutation != mutation { state.broken.append("\(mutation.id) came back with another payload") }
            return known.result
        }
        let result = effect(of: mutation, &state)
        state.log[mutation.id] = (mutation, result)
        return result
    }

    private static func effect(of mutation: Mutation, _ state: inout State) -> MutationResult {
        if let problem = state.refuse(mutation) {
            return MutationResult(id: mutation.id, status: .rejected, error: problem)
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
        let data: [String: JSONValue]? =
            switch mutation.operation {
            case .create: mutation.fields
            case .patch: (row?.data ?? [:]).merging(mutation.fields) { $1 }
            case .delete: nil
            }
        let version = store(data.map { state.tidy($0.filter { $0.value != .null }) }, key, &state)
        state.effects.append(mutation.id)
        return MutationResult(id: mutation.id, status: .applied, version: version)
    }

    private static func store(_ data: [String: JSONValue]?, _ key: Key, _ state: inout State) -> Int {
        state.seq += 1
        let at = Date(timeIntervalSince1970: 1_800_000_000 + Double(state.seq))
        state.rows[key] = Row(version: state.seq, updatedAt: at, data: data)
        return state.seq
    }

    static func change(_ key: Key, _ row: Row) -> SyncChange {
        var data = row.data
        data?["id"] = .string(key.id)
        data?["version"] = .integer(row.version)
        data?["updated_at"] = .string(RFC3339.string(from: row.updatedAt))
        return SyncChange(
            collection: key.collection, id: key.id, version: row.version, updatedAt: row.updatedAt,
            operation: data == nil ? .delete : .put, data: data)
    }

    private static func page(_ request: PullChanges, _ state: State) throws(NetworkError) -> ChangesPage {
        var (after, upTo, isReplacement) = (0, state.seq, true)
        if let cursor = request.cursor {
            let parts = cursor.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 4 else { throw NetworkError(.validation(problem(400, "invalid_cursor"))) }
            guard parts[0] == state.epoch else { throw NetworkError(.conflict(problem(409, "epoch_changed"))) }
            (after, isReplacement) = (parts[1], parts[3] == 1)
            guard isReplacement || after >= state.horizon else {
                throw NetworkError(.status(410, problem(410, "cursor_expired")))
            }
            upTo = parts[2] > 0 ? parts[2] : state.seq
        }
        let due = state.rows.filter { after < $0.value.version && $0.value.version <= upTo }
            .filter { !isReplacement || $0.value.data != nil }
            .sorted { $0.value.version < $1.value.version }
        let limit = request.limit ?? 500
        let hasMore = due.count > limit
        let shown = due.prefix(limit)
        let reached = hasMore ? shown.last?.value.version ?? after : upTo
        let next = "\(state.epoch)/\(reached)/\(hasMore ? upTo : 0)/\(hasMore && isReplacement ? 1 : 0)"
        return ChangesPage(
            changes: shown.map { change($0.key, $0.value) }, cursor: next, hasMore: hasMore,
            isReplacement: isReplacement, upTo: upTo, head: state.seq)
    }

    static func problem(_ status: Int, _ code: String) -> Problem {
        Problem(title: code, status: status, detail: "The server says \(code).", code: code)
    }
}

/// The way to the server, with the faults of a network.
final class FakeLink: APIClient {
    enum Fault: Sendable {
        /// The request never arrives.
        case refuse(NetworkError.Kind)
        /// The request arrives, its answer does not.
        case loseAnswer
    }

    let server: FakeSyncServer
    private let fault = Mutex<@Sendable (String, Int) -> Fault?>({ _, _ in nil })
    private let meanwhile = Mutex<(@Sendable (String) async -> Void)?>(nil)
    private let digests = Mutex(0)

    init(_ server: FakeSyncServer) { self.server = server }

    var digestRequests: Int { digests.withLock { $0 } }

    /// - Parameter fault: Given `push` or `pull`, and the number of mutations.
    func onRequest(_ fault: @escaping @Sendable (String, Int) -> Fault?) { self.fault.withLock { $0 = fault } }
    func failing(_ kind: NetworkError.Kind) { onRequest { _, _ in .refuse(kind) } }
    func healed() { onRequest { _, _ in nil } }
    /// Runs after the server worked and before the client has the answer.
    func onAnswer(_ body: @escaping @Sendable (String) async -> Void) { meanwhile.withLock { $0 = body } }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        let answer: Data
        let (name, count) =
            switch endpoint {
            case let push as PushMutations: ("push", push.batch.mutations.count)
            default: ("pull", 0)
            }
        if endpoint is FetchDigest { digests.withLock { $0 += 1 } }
        let fault = endpoint is FetchDigest ? nil : fault.withLock { $0 }(name, count)
        if case .refuse(let kind) = fault { throw NetworkError(kind) }
        do {
            switch endpoint {
            case let push as PushMutations:
                let batch = try WireJSON.decode(MutationBatch.self, from: WireJSON.encode(push.batch))
                answer = try WireJSON.encode(try server.push(batch))
            case let pull as PullChanges: answer = try WireJSON.encode(try server.pull(pull))
            case is FetchDigest: answer = try WireJSON.encode(server.digest())
            default: throw NetworkError(.notFound(nil))
            }
            if case .loseAnswer = fault { throw NetworkError(.connectionLost("cut")) }
            if !(endpoint is FetchDigest), let meanwhile = meanwhile.withLock({ $0 }) { await meanwhile(name) }
            return APIResponse(
                head: ResponseHead(status: 200), value: try WireJSON.decode(E.Response.self, from: answer))
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let snapshot = endpoint as? FetchSnapshot, snapshot.bucket != nil else {
            throw NetworkError(.notFound(nil))
        }
        return try await FakeSyncServer.deliver(try server.snapshot(snapshot), to: receive)
    }
}
