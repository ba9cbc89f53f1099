import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Answers that are less than a row, or that another program gave.
@Suite struct RemoteAnswerTests {
    /// A resource whose create and update have this response.
    private static func remote(_ response: String) -> CRUDRemote<Chore> {
        @Sendable func row() throws -> Remote<Chore> {
            try WireJSON.decode(Remote<Chore>.self, from: Data(response.utf8))
        }
        return CRUDRemote(
            list: { _ in [] }, create: { _, _ in try row() }, update: { _, _, _ in try row() }, delete: { _, _ in },
            abilities: RemoteAbilities(precondition: .none))
    }

    @Test func `a create that is answered by the id alone keeps the fields`() async throws {
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try offline.collection(Chore.self, Self.remote(#"{"id":41}"#))
        let id = try await chores.create(Chore(text: "milk", mark: "urgent"))
        #expect(try await offline.sync(.push).sent == 1)
        #expect(try await chores.remoteID(of: id) == "41")
        let base = try await chores.table.read {
            try EntityTables(db: $0).base(EntityKey(collection: "chores", id: id.rawValue))
        }
        #expect(base?.data == ["text": "milk", "mark": "urgent"])

        try await chores.update(id) { $0.text = "oat milk" }
        try await offline.sync(.push)
        #expect(try await chores.unsent.isEmpty)
        #expect(try await chores.get(id)?.content == Chore(text: "oat milk", mark: "urgent"))
    }

    @Test func `an update that is answered by words is no row`() async throws {
        let write = RemoteWrite(
            id: "m", operation: .update, remoteID: "7", fields: ["text": "milk"], changes: ["text": "milk"])
        #expect(try await Self.remote(#"{"ok":true}"#).push(write, with: NoClient()) == .accepted("7"))
    }

    @Test func `a create that is answered by words stays queued until the list shows it, and is not sent again`()
        async throws
    {
        let rows = Mutex<[Remote<Chore>]>([])
        let remote = CRUDRemote<Chore>(
            list: { _ in rows.withLock { $0 } },
            create: { chore, _ in
                rows.withLock { $0.append(Remote(id: RemoteID("\(41 + $0.count)"), chore)) }
                return try WireJSON.decode(Remote<Chore>.self, from: Data(#"{"ok":true}"#.utf8))
            },
            update: { _, _, _ in throw NetworkError(.unexpected("not called")) },
            delete: { _, _ in throw NetworkError(.unexpected("not called")) })
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try offline.collection(Chore.self, remote)
        let id = try await chores.create(Chore(text: "milk"))
        _ = try? await offline.sync(.push)
        #expect(try await chores.unsent.map(\.state) == [.inflight])

        try await offline.sync()
        #expect(try await chores.unsent.isEmpty)
        #expect(try await chores.remoteID(of: id) == "41")
        #expect(rows.withLock { $0.count } == 1)
        #expect(try await chores.list().map(\.id) == [id])
    }

    @Test func `a refusal with status 200 is kept and shown where the closure throws it`() async throws {
        let refusal = Problem(title: "Refused", status: 200, detail: "the text is too rude")
        let remote = CRUDRemote<Chore>(
            list: { _ in [Remote(id: "41", Chore(text: "kind"))] },
            create: { chore, _ in
                if chore.text == "rude" { throw NetworkError(.validation(refusal)) }
                return Remote(id: "41", chore)
            },
            update: { _, _, _ in throw NetworkError(.unexpected("not called")) },
            delete: { _, _ in throw NetworkError(.unexpected("not called")) })
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try offline.collection(Chore.self, remote)
        for text in ["rude", "kind"] { try await chores.create(Chore(text: text)) }
        let report = try await offline.sync()
        #expect(report.sent == 1 && report.refused == 1)
        let entry = try #require(try await chores.unsent.first)
        #expect(entry.state == .rejected && entry.error?.contains("too rude") == true)
        #expect(try await chores.list().map(\.content.text).sorted() == ["kind", "rude"])
    }

    @Test func `a 404 that is not of the API deletes nothing`() async throws {
        let remote = CRUDRemote<Chore>(
            list: { _ in [] }, create: { _, _ in throw NetworkError(.unexpected("not called")) },
            update: { _, _, _ in throw NetworkError(.unexpected("not called")) }, delete: { _, _ in },
            get: { _, _ in
                var error = NetworkError(.notFound(nil))
                error.isForeign = true
                throw error
            })
        await #expect(throws: NetworkError.self) { try await remote.find(.row("7"), with: NoClient()) }
    }

    @Test func `an answer that cannot be read delays its own row only`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.refuse = { $0.fields["text"] == "bad" ? NetworkError(.invalidResponse("no id")) : nil } }
        try await home.chores.create(Chore(text: "bad"))
        try await home.chores.create(Chore(text: "good"))
        let report = try await home.sync()
        #expect(report.sent == 1 && report.unsent == 1)
        #expect(home.remote.texts == ["good"])
    }

    @Test func `many failing writes do not keep changes from being fetched`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "there")
        home.remote.with { $0.refuse = { _ in NetworkError(.server(500, nil)) } }
        for number in 0..<25 { try await home.chores.create(Chore(text: "bad \(number)")) }
        let report = try await home.sync()
        #expect(report.unsent == 25 && report.received == 1)
        #expect(home.remote.pushes.count == 21)
    }

    @Test func `writes that always fail keep none behind them from being sent`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.refuse = { _ in NetworkError(.server(500, nil)) } }
        var lists: [RemoteID] = []
        for number in 0..<30 {
            lists.append(RemoteID(try await home.lists.create(ChoreList(text: "bad \(number)")).rawValue))
        }
        for list in [lists[0], lists[29]] { try await home.chores.create(Chore(text: "waits", list: list)) }
        try await home.chores.create(Chore(text: "free"))
        try await home.sync()
        #expect(home.listRemote.pushes.count == 21 && home.remote.pushes.isEmpty)

        try await home.sync()
        #expect(home.remote.texts == ["free"], "a row waits for the list that it names")
        #expect(home.listRemote.pushes.count == 42, "each run sends no more than it did")
        #expect(Set(home.listRemote.pushes.map(\.id)).count == 30)

        home.listRemote.with { $0.refuse = { _ in nil } }
        try await home.sync()
        #expect(home.remote.texts.sorted() == ["free", "waits", "waits"])
        #expect(home.listRemote.texts.count == 30)
        #expect(try await home.chores.unsent.isEmpty)
    }

    @Test func `an entity with keys as an API spells them is made of its fields`() async throws {
        struct Errand: Entity {
            static let noun = "errand"
            static let collection = "errands"
            static let fields: [EntityField<Errand>] = [
                .init("title", \.title, .line(1...200)), .init("is_done", \.isDone), .init("due_at", \.dueAt),
            ]
            var title: String
            var isDone: Bool?
            var dueAt: Date?
            enum CodingKeys: String, CodingKey {
                case title
                case isDone = "is_done"
                case dueAt = "due_at"
            }
        }
        let errand = Errand(title: "milk", isDone: true, dueAt: Date(timeIntervalSince1970: 1_000))
        #expect(try Errand(wireFields: errand.wireFields()) == errand)
        #expect(throws: WireJSON.Failure.self) { try Errand(wireFields: ["title": "milk", "is_done": "yes"]) }

        let remote = CRUDRemote<Errand>(
            list: { _ in [] }, create: { errand, _ in Remote(id: "41", errand) },
            update: { id, errand, _ in Remote(id: id, errand) },
            delete: { _, _ in })
        let write = RemoteWrite(id: "m", operation: .create, remoteID: nil, fields: try errand.wireFields())
        #expect(try await remote.push(write, with: NoClient()) == .stored(RemoteRow(id: "41", fields: write.fields)))
    }
}
