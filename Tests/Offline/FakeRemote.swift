import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// An API with rules of its own, in memory: ids of the server, a version as revision and tag, pages by offset.
final class FakeRemote: RemoteCollection {
    struct Stored: Sendable {
        var version: Int
        var fields: [String: JSONValue]
        var modifiedAt: Date
    }

    struct State: Sendable {
        var rows: [String: Stored] = [:]
        /// The order of lists.
        var order: [String] = []
        var deleted: [RemoteID] = []
        var lastID = 40
        var clock = Date(timeIntervalSince1970: 1_000)
        var serverTime: Date?
        var pageSize = 100
        var keys: [String: String] = [:]
        var pushes: [RemoteWrite] = []
        var pulls: [PullPoint] = []
        var finds: [RemoteSearch] = []
        var ignoresIfMatch = false
        var listsTags = true
        /// Whether any response has one.
        var hasTags = true
        /// Each reading of a row has another tag.
        var newTags = false
        var reading = 0
        /// `push` and `pull`, in the order of the calls.
        var calls: [String] = []
        var refuse: @Sendable (RemoteWrite) -> NetworkError? = { _ in nil }
        var refusePull: @Sendable (PullPoint) -> NetworkError? = { _ in nil }
        var refuseFind: NetworkError?
        /// The next pushes take effect, and their answers are lost.
        var lostAnswers = 0
        var lostAnswer = NetworkError(.connectionLost("cut"))
        var hides: Set<String> = []
        /// A create is answered with the id alone.
        var answersIDs = false
    }

    let abilities: RemoteAbilities
    let references: [String: String]
    private let state = Mutex(State())
    private let afterPage = Mutex<@Sendable (FakeRemote, Int) async -> Void>({ _, _ in })

    init(_ abilities: RemoteAbilities = RemoteAbilities(), references: [String: String] = [:]) {
        (self.abilities, self.references) = (abilities, references)
    }

    func with<Value>(_ body: (inout sending State) -> sending Value) -> sending Value { state.withLock(body) }
    func onPage(_ body: @escaping @Sendable (FakeRemote, Int) async -> Void) { afterPage.withLock { $0 = body } }
    var pushes: [RemoteWrite] { with { $0.pushes } }
    var texts: [String] { with { state in state.order.compactMap { state.rows[$0]?.fields["text"]?.string } } }

    @discardableResult
    func put(_ id: String? = nil, _ text: String, _ more: [String: JSONValue] = [:]) -> String {
        with { Self.put(id, more.merging(["text": .string(text)]) { $1 }, &$0) }
    }

    func remove(_ id: String) { with { Self.remove(id, &$0) } }

    private static func put(_ id: String?, _ fields: [String: JSONValue], _ state: inout State) -> String {
        if id == nil { state.lastID += 1 }
        let id = id ?? String(state.lastID)
        state.clock += 1
        if state.rows[id] == nil { state.order.append(id) }
        state.rows[id] = Stored(
            version: (state.rows[id]?.version ?? 0) + 1, fields: fields, modifiedAt: state.clock)
        return id
    }

    private static func remove(_ id: String, _ state: inout State) {
        state.rows[id] = nil
        state.order.removeAll { $0 == id }
        state.deleted.append(RemoteID(id))
    }

    private static func row(_ id: String, _ state: State, tags: Bool = true) -> RemoteRow? {
        state.rows[id].map {
            RemoteRow(
                id: RemoteID(id), revision: "\($0.version)",
                entityTag: tags && state.hasTags ? "\"\($0.version)\"" : nil,
                modifiedAt: $0.modifiedAt, fields: $0.fields)
        }
    }

    func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage {
        let refusal = with { state in
            state.pulls.append(point)
            state.calls.append("pull")
            return state.refusePull(point)
        }
        if let refusal { throw refusal }
        let offset = point.page.flatMap(Int.init) ?? 0
        let page = with { state in
            var ids = state.order.filter { !state.hides.contains($0) }
            if case .since(let date) = point.start { ids = ids.filter { state.rows[$0]?.modifiedAt ?? date >= date } }
            let end = min(offset + state.pageSize, ids.count)
            let rows = ids[min(offset, end)..<end].compactMap { Self.row($0, state, tags: state.listsTags) }
            var page = PullPage(rows: rows, next: end < ids.count ? String(end) : nil, serverTime: state.serverTime)
            if abilities.deletions == .feed { page.deleted = state.deleted }
            if abilities.deltas == .cursor { page.checkpoint = "c\(state.clock.timeIntervalSince1970)-\(offset)" }
            return page
        }
        await afterPage.withLock { $0 }(self, offset)
        return page
    }

    func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome {
        let result = with { state -> Result<PushOutcome, NetworkError> in
            state.pushes.append(write)
            state.calls.append("push")
            if let refusal = state.refuse(write) { return .failure(refusal) }
            let result = apply(write, &state)
            guard state.lostAnswers > 0 else { return result }
            state.lostAnswers -= 1
            return .failure(state.lostAnswer)
        }
        return try result.get()
    }

    private func apply(_ write: RemoteWrite, _ state: inout State) -> Result<PushOutcome, NetworkError> {
        if write.operation == .create {
            if case .idempotencyKey = abilities.repeats, let id = state.keys[write.id] {
                // A key repeats its first answer, also for a row that is gone.
                if state.answersIDs { return .success(.accepted(RemoteID(id))) }
                let row = Self.row(id, state) ?? RemoteRow(id: RemoteID(id), fields: write.fields)
                return .success(.stored(row))
            }
            let id = Self.put(write.remoteID?.rawValue, write.fields, &state)
            state.keys[write.id] = id
            if state.answersIDs { return .success(.accepted(RemoteID(id))) }
            return Self.row(id, state).map { .success(.stored($0)) } ?? .success(.unknown)
        }
        guard let id = write.remoteID?.rawValue, let known = state.rows[id] else {
            return .failure(NetworkError(.notFound(nil)))
        }
        if !state.ignoresIfMatch, let tag = write.entityTag, tag != "\"\(known.version)\"" {
            return .failure(NetworkError(.conflict(nil)))
        }
        if write.operation == .delete {
            Self.remove(id, &state)
            return .success(.accepted())
        }
        _ = Self.put(id, known.fields.merging(write.changes) { $1 }.filter { $0.value != .null }, &state)
        return Self.row(id, state).map { .success(.stored($0)) } ?? .success(.unknown)
    }

    func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow] {
        let (failure, rows) = with { state -> (NetworkError?, [RemoteRow]) in
            state.finds.append(search)
            state.reading += 1
            let all = state.order.compactMap { Self.row($0, state) }.map { row in
                var row = row
                if state.newTags { row.entityTag = "\"\(state.reading)-\(row.id)\"" }
                return row
            }
            switch search {
            case .row(let id): return (state.refuseFind, all.filter { $0.id == id })
            case .made(let write):
                if case .naturalKey(let key) = abilities.ids {
                    return (
                        state.refuseFind, all.filter { row in key.allSatisfy { row.fields[$0] == write.fields[$0] } }
                    )
                }
                return (state.refuseFind, all.filter { $0.fields == write.fields })
            }
        }
        if let failure { throw failure }
        return rows
    }
}

/// Lists that tasks refer to.
struct Chore: Entity {
    static let noun = "chore"
    static let collection = "chores"
    static let fields: [EntityField<Chore>] = [
        .init("text", \.text, .line(1...200)), .init("mark", \.mark, .line(1...200)), .init("list", \.list),
    ]
    var text: String
    var mark: String?
    var list: RemoteID?
}

struct ChoreList: Entity {
    static let noun = "list"
    static let collection = "chore_lists"
    static let fields: [EntityField<ChoreList>] = [.init("text", \.text, .line(1...200))]
    var text: String
}

/// A client that nothing is sent with: the fake remotes answer themselves.
struct NoClient: APIClient {
    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> { throw NetworkError(.offline("no client")) }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result { throw NetworkError(.offline("no client")) }
}

/// A device with an offline store in front of fake APIs.
struct RESTHome {
    let directory: TemporaryDirectory
    let offline: Offline
    let chores: OfflineEntities<Chore>
    let lists: OfflineEntities<ChoreList>
    let remote: FakeRemote
    let listRemote: FakeRemote
    let wallClock: ManualWallClock

    init(
        _ abilities: RemoteAbilities = RemoteAbilities(findsByID: true), limits: PullLimits = PullLimits(),
        in directory: TemporaryDirectory? = nil, remote: FakeRemote? = nil, listRemote: FakeRemote? = nil,
        seed: UInt64 = 1
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        wallClock = ManualWallClock()
        offline = try Offline(
            at: "\(directory.path)/offline.sqlite", client: NoClient(), limits: limits, clock: ManualClock(),
            wallClock: wallClock, random: RandomSource(SeededRandom(seed: seed)), log: .silent)
        self.remote = remote ?? FakeRemote(abilities, references: ["list": "chore_lists"])
        self.listRemote = listRemote ?? FakeRemote(abilities)
        // In the wrong order on purpose: references decide.
        chores = try offline.collection(Chore.self, self.remote)
        lists = try offline.collection(ChoreList.self, self.listRemote)
    }

    var texts: [String] { get async throws { try await chores.list().map(\.content.text).sorted() } }

    @discardableResult
    func sync(_ direction: SyncDirection = .both) async throws -> OfflineReport { try await offline.sync(direction) }

    /// One that may fail, as most do in these tests.
    func trySync() async { _ = try? await offline.sync() }
}
