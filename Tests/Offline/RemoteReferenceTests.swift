import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// An entity that states its reference itself.
private struct Item: Entity {
    static let noun = "item"
    static let collection = "items"
    static let fields: [EntityField<Item>] = [
        .init("text", \.text, .line(1...200)),
        .init("list", \.list).references(ChoreList.self, onDelete: .clear),
    ]
    var text: String
    var list: ChoreList.ID?
}

/// A row that refers to rows of its own collection.
private struct Branch: Entity {
    static let noun = "branch"
    static let collection = "branches"
    static let fields: [EntityField<Branch>] = [.init("text", \.text, .line(1...200)), .init("parent", \.parent)]
    var text: String
    var parent: RemoteID?
}

/// References that the entity states, references in a circle, and references to rows that come later.
@Suite struct RemoteReferenceTests {
    private static func offline(_ directory: TemporaryDirectory) throws -> Offline {
        try Offline(at: "\(directory.path)/offline.sqlite", client: NoClient(), log: .silent)
    }

    @Test func `a reference that the entity states needs no word of the remote`() async throws {
        let directory = try TemporaryDirectory()
        let (remote, listRemote) = (FakeRemote(), FakeRemote())
        listRemote.with { $0.lastID = 900 }
        let offline = try Self.offline(directory)
        let items = try offline.collection(Item.self, remote)
        let lists = try offline.collection(ChoreList.self, listRemote)
        let item = try await items.create(Item(text: "milk"))
        let list = try await lists.create(ChoreList(text: "shop"))
        try await items.update(item) { $0.list = list }
        try await offline.sync()
        #expect(remote.pushes.map { $0.fields["list"] } == [.string("901")])
        #expect(try await items.get(item)?.content.list == list, "here it has the local id")

        // The rule of the reference holds here, and the cleared field is sent before the deletion.
        try await lists.delete(list)
        #expect(try await items.get(item)?.content.list == nil)
        try await offline.sync()
        #expect(listRemote.texts.isEmpty)
        #expect(remote.with { $0.rows["41"]?.fields } == ["text": "milk"])
    }

    @Test func `a number in the place of an id is read`() throws {
        let row = try WireJSON.decode(Remote<Item>.self, from: Data(#"{"id":1,"text":"milk","list":7}"#.utf8))
        #expect(row.content == Item(text: "milk", list: ChoreList.ID("7")))
    }

    @Test func `of new rows that name each other one is refused, and both are sent once it names none`() async throws {
        let directory = try TemporaryDirectory()
        let remote = FakeRemote(references: ["parent": "branches"])
        let offline = try Self.offline(directory)
        let branches = try offline.collection(Branch.self, remote)
        let first = try await branches.create(Branch(text: "first"))
        let second = try await branches.create(Branch(text: "second", parent: RemoteID(first.rawValue)))
        try await branches.update(first) { $0.parent = RemoteID(second.rawValue) }
        try await offline.sync()
        #expect(remote.pushes.isEmpty)
        #expect(try await branches.unsent.map(\.state) == [.rejected, .pending])
        #expect(try await branches.unsent.first?.error?.contains("needs this row first") == true)

        try await branches.update(first) { $0.parent = nil }
        try await offline.sync()
        #expect(remote.texts == ["first", "second"])
        #expect(remote.pushes.map { $0.fields["parent"] } == [nil, .string("41")])
        try await branches.update(first) { $0.parent = RemoteID(second.rawValue) }
        try await offline.sync()
        #expect(remote.with { $0.rows["41"]?.fields["parent"] } == "42")
    }

    @Test func `a reference to a row that comes later meets its local id`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.refusePull = { _ in NetworkError(.server(500, nil)) } }
        // No text of visible ASCII characters, so the row gets another id here.
        home.listRemote.put("a b", "shop")
        home.remote.put("7", "milk", ["list": "a b"])
        await #expect(throws: DomainError.self) { try await home.sync(.pull) }
        #expect(try await home.chores.get(Chore.ID("7"))?.content.list == "a b")

        home.listRemote.with { $0.refusePull = { _ in nil } }
        try await home.sync(.pull)
        let list = try #require(try await home.lists.list().first)
        #expect(list.id.rawValue != "a b")
        #expect(try await home.chores.get(Chore.ID("7"))?.content.list == RemoteID(list.id.rawValue))
    }
}
