import FoundationEssentials
import GRDB
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

/// A client's database that an earlier release of the entity wrote, with an unsent entry.
struct OfflineUpgradeTests {
    struct Note: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let listOrder: String? = "title"
        static let fields: [EntityField<Note>] = [
            .init("title", \.title, .line(1...40)), .init("place", \.place, .line(1...40)),
        ]
        var title: String
        var place: String
    }

    /// A field more, one that may be left out now, authors, and another order.
    struct LaterNote: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let listOrder: String? = "-level"
        static let recordsAuthor = true
        static let fields: [EntityField<LaterNote>] = [
            .init("title", \.title, .line(1...40)), .init("place", \.place, .line(1...40)),
            .init("level", \.level).sortable.since(2),
        ]
        var title: String
        var place: String?
        var level: Int?
    }

    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func open(_ collection: OfflineCollection) async throws -> OfflineStore {
        let database = try await OfflineDatabase.open(
            at: directory.file("notes.sqlite"), collections: [collection], log: .silent)
        return OfflineStore(database: database)
    }

    @Test func `keeps its rows and what is not sent, and takes new ones`() async throws {
        let first = try await open(OfflineEntityRepository<Note>.collection)
        try await first.create(Note(title: "First", place: "Kiel"), Identifier("n1"))
        try await first.database.close()

        let later = try await open(OfflineEntityRepository<LaterNote>.collection)
        try await later.create(LaterNote(title: "Second", level: 3), Identifier("n2"))
        let notes: [Stored<LaterNote>] = try await later.entities()
        #expect(
            notes.map(\.content) == [LaterNote(title: "Second", level: 3), LaterNote(title: "First", place: "Kiel")])
        #expect(try await later.entries().map(\.mutation.entityId) == ["n1", "n2"])
        try await later.database.close()

        // Opened again, nothing is migrated twice.
        let again = try await open(OfflineEntityRepository<LaterNote>.collection)
        let one: Stored<LaterNote>? = try await again.entity(Identifier("n1"))
        #expect(one?.content.title == "First")
    }

    @Test func `a row that another program changed is an error and no crash`() async throws {
        let store = try await open(OfflineEntityRepository<Note>.collection)
        try await store.create(Note(title: "First", place: "Kiel"), Identifier("n1"))
        let other = try DatabaseQueue(path: directory.file("notes.sqlite"))
        for column in ["version", "updated_at"] {
            try await other.write { try $0.execute(sql: "UPDATE notes SET \(column) = 'noon'") }
            let error = await #expect(throws: DomainError.self) { let _: [Stored<Note>] = try await store.entities() }
            #expect(error?.description.contains("a time of another type") == true, "\(column)")
            try await other.write { try $0.execute(sql: "UPDATE notes SET \(column) = 0") }
        }
        try await other.write { try $0.execute(sql: "UPDATE notes SET title = x'FF'") }
        await #expect(throws: DomainError.self) { let _: [Stored<Note>] = try await store.entities() }
    }
}
