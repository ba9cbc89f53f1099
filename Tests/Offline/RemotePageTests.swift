import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Long lists, lists without news, and a reset in the middle of a list.
@Suite struct RemotePageTests {
    private static func remote(_ count: Int) -> CRUDRemote<Chore> {
        CRUDRemote(
            list: { _ in (0..<count).map { Remote(id: RemoteID("\($0)"), Chore(text: "row \($0)")) } },
            create: { _, _ in throw NetworkError(.unexpected("not called")) },
            update: { _, _, _ in throw NetworkError(.unexpected("not called")) },
            delete: { _, _ in throw NetworkError(.unexpected("not called")) })
    }

    private static func failing(_ offline: Offline, on event: String) async throws {
        try await offline.store().database.write { db in
            try db.execute(sql: "CREATE TRIGGER broken BEFORE \(event) BEGIN SELECT RAISE(ABORT, 'broken'); END")
        }
    }

    @Test func `a list without news writes no row`() async throws {
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try offline.collection(Chore.self, Self.remote(3))
        try await offline.sync()
        try await Self.failing(offline, on: "INSERT ON remote_row")
        #expect(try await offline.sync().received == 0)
        #expect(try await chores.list().count == 3)
    }

    @Test func `a long list in one response is stored in parts, so that local writes need not wait for all of it`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try offline.collection(Chore.self, Self.remote(2500))
        try await Self.failing(offline, on: "INSERT ON base_row WHEN NEW.entity_id = '2400'")
        await #expect(throws: DomainError.self) { try await offline.sync() }
        #expect(try await chores.list().count == 2000)
        try await offline.store().database.write { try $0.execute(sql: "DROP TRIGGER broken") }
        try await offline.sync()
        #expect(try await chores.list().count == 2500)
    }

    @Test(arguments: [RemoteAbilities.Deltas.cursor, .since(field: "modified", overlap: .seconds(1))])
    func `a reset while a list is read is kept`(deltas: RemoteAbilities.Deltas) async throws {
        let home = try RESTHome(RemoteAbilities(deltas: deltas, deletions: .feed, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.onPage { _, _ in try? await home.chores.reset(to: .everything) }
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } != .everything)
        home.remote.onPage { _, _ in }
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } == .everything)
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } != .everything)
    }

    @Test func `a field that the entity gets later is filled in`() async throws {
        struct Early: Entity {
            static let noun = "chore"
            static let collection = "chores"
            static let fields: [EntityField<Early>] = [.init("text", \.text, .line(1...200))]
            var text: String
        }
        struct Late: Entity {
            static let noun = "chore"
            static let collection = "chores"
            static let fields: [EntityField<Late>] = [
                .init("text", \.text, .line(1...200)), .init("mark", \.mark, .line(1...200)).since(2),
            ]
            var text: String
            var mark: String?
        }
        func remote<Content: Entity>(_ content: Content) -> CRUDRemote<Content> {
            CRUDRemote(
                list: { _ in [Remote(id: "7", content, revision: "1")] },
                create: { _, _ in throw NetworkError(.unexpected("not called")) },
                update: { _, _, _ in throw NetworkError(.unexpected("not called")) },
                delete: { _, _ in throw NetworkError(.unexpected("not called")) })
        }
        let directory = try TemporaryDirectory()
        let before = try Offline(at: directory.path, client: NoClient(), log: .silent)
        _ = try before.collection(Early.self, remote(Early(text: "milk")))
        try await before.sync()
        let after = try Offline(at: directory.path, client: NoClient(), log: .silent)
        let chores = try after.collection(Late.self, remote(Late(text: "milk", mark: "urgent")))
        try await after.sync()
        #expect(try await chores.list().map(\.content.mark) == ["urgent"])
    }
}
