import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting

/// A working backend of the sync protocol: the model of the server, and a log of mutations with their results. Everything
/// passes through JSON on its way.
final class FakeSyncServer: Sendable {
    typealias Row = SyncServerModel.Row
    typealias Key = SyncServerModel.Key

    @dynamicMemberLookup
    struct State {
        var model = SyncServerModel(repeatsRowFields: true)
        var log: [Mutation.ID: (mutation: Mutation, result: MutationResult)] = [:]
        /// Mutations in effect, in order; an id in here twice is a broken promise.
        var effects: [Mutation.ID] = []
        /// Ids that came back with another payload; must stay empty.
        var broken: [String] = []
        var received: [[Mutation.ID]] = []
        var pulls: [String?] = []
        var refuse: @Sendable (Mutation) -> Problem? = { _ in nil }
        var tidy: @Sendable ([String: JSONValue]) -> [String: JSONValue] = { $0 }

        subscript<Value>(dynamicMember path: WritableKeyPath<SyncServerModel, Value>) -> Value {
            get { model[keyPath: path] }
            set { model[keyPath: path] = newValue }
        }
    }

    private let state = Mutex(State())

    func with<Value>(_ body: (inout sending State) -> sending Value) -> sending Value { state.withLock(body) }

    var rows: [Key: Row] { state.withLock { $0.model.rows } }
    /// Content of the live rows of one collection.
    func live(_ collection: String) -> [String: [String: JSONValue]] {
        Dictionary(
            uniqueKeysWithValues: state.withLock { $0.model.live }
                .filter { $0.key.collection == collection }.map { ($0.key.id, $0.value) })
    }

    // MARK: - Writes of other users

    /// A write by another client, without going through the protocol.
    @discardableResult
    func put(_ collection: String, _ id: String, _ fields: [String: JSONValue]) -> Int {
        state.withLock { $0.model.merge(fields, at: Key(collection: collection, id: id)) }
    }

    @discardableResult
    func remove(_ collection: String, _ id: String) -> Int {
        state.withLock { $0.model.store(nil, at: Key(collection: collection, id: id)) }
    }

    // MARK: - The protocol

    /// - Throws: When the batch carries a cursor of an earlier life of the data, or none that was ever given out.
    func push(_ batch: MutationBatch) throws(NetworkError) -> MutationResults {
        try answer { state throws(NetworkError) in
            try state.model.check(cursor: batch.cursor)
            state.received.append(batch.mutations.map(\.id))
            return MutationResults(results: batch.mutations.map { Self.result(of: $0, &state) })
        }
    }

    func pull(_ request: PullChanges) throws(NetworkError) -> ChangesPage {
        try answer { state throws(NetworkError) in
            state.pulls.append(request.cursor)
            return try state.model.page(request)
        }
    }

    func digest() -> SyncDigest { state.withLock { $0.model.digest() } }

    /// A snapshot, or one bucket, from a position to its end.
    func snapshot(_ call: FetchSnapshot) throws(NetworkError) -> [UInt8] {
        try answer { state throws(NetworkError) in Array(try state.model.snapshot(call).utf8) }
    }

    private func answer<Value: Sendable>(
        _ body: (inout State) throws(NetworkError) -> Value
    ) throws(NetworkError) -> Value {
        let answer = state.withLock { state in
            Result { () throws(NetworkError) in try body(&state) }
        }
        return try answer.get()
    }

    private static func result(of mutation: Mutation, _ state: inout State) -> MutationResult {
        if let known = state.log[mutation.id] {
            if known.mutation != mutation { state.broken.append("\(mutation.id) came back with another payload") }
            return state.model.repeated(known.result, of: mutation)
        }
        let result: MutationResult
        if let problem = state.refuse(mutation) {
            result = MutationResult(id: mutation.id, status: .rejected, error: problem)
        } else {
            result = state.model.apply(mutation, tidy: state.tidy)
            if result.status == .applied { state.effects.append(mutation.id) }
        }
        state.log[mutation.id] = (mutation, result)
        return result
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
    private let snapshots = Mutex(0)

    init(_ server: FakeSyncServer) { self.server = server }

    var digestRequests: Int { digests.withLock { $0 } }

    /// Requests for a snapshot, or for one bucket.
    var streams: Int { snapshots.withLock { $0 } }

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
        snapshots.withLock { $0 += 1 }
        guard let snapshot = endpoint as? FetchSnapshot, snapshot.bucket != nil else {
            throw NetworkError(.notFound(nil))
        }
        return try await FakeSyncServer.deliver(try server.snapshot(snapshot), to: receive)
    }
}
