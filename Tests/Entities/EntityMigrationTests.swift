import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// A field that is added to a table with rows.
struct EntityMigrationTests {
    struct Note: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<Note>] = [.init("title", \.title, .line(1...40))]
        var title: String
    }

    struct LaterNote: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<LaterNote>] = [
            .init("title", \.title, .line(1...40)), .init("level", \.level).since(2),
            .init("code", \.code, .line(1...9)).unique.since(3),
        ]
        var title: String
        var level: Int?
        var code: String?
    }

    struct NotesService<Content: Entity>: FeatureService {
        let table = EntityTable<Content>()
        var migrations: [StoreMigration] { table.migrations }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    @Test func `the migrations of a release stay as they are when a field is added`() {
        let (first, later) = (EntityTable<Note>().migrations, EntityTable<LaterNote>().migrations)
        #expect(later.map(\.name) == ["notes-1", "notes-2", "notes-3"])
        #expect(later[0].statements == first[0].statements)
        #expect(later[1].statements == ["ALTER TABLE notes ADD COLUMN level BIGINT"])
        #expect(later[2].statements.last == "CREATE UNIQUE INDEX notes_code ON notes (code)")
    }

    struct ListedNote: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<ListedNote>] = [.init("title", \.title, .line(1...40)).filterable.sortable]
        var title: String
    }

    @Test func `a released field may become filterable and sortable`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.file("data.db")
        let old = try await withBackend(NotesService<Note>(), at: path) { backend in
            try await backend.client().send(CreateEntity(Note(title: "old")))
        }
        #expect(EntityTable<ListedNote>().migrations[0].statements == EntityTable<Note>().migrations[0].statements)
        try await withBackend(NotesService<ListedNote>(), at: path) { backend in
            let client = try backend.client()
            _ = try await client.send(CreateEntity(ListedNote(title: "new")))
            let query = EntityQuery<ListedNote>(filters: ["title": .string("old")], sort: .init("-title"))
            #expect(try await client.send(ListEntities(query)).items.map(\.id.rawValue) == [old.id.rawValue])
        }
    }

    @Test func `added fields keep the contract of an entity`() async throws {
        let failures = try await EntityContract<LaterNote>(NotesService<LaterNote>()).failures()
        #expect(failures == [])
    }

    @Test func `a required field that is added later is reported`() async throws {
        #expect(
            try await EntityContract<RequiredLater>(NotesService<RequiredLater>()).failures().first
                == "'level' came with version 2 and must be optional: older rows have no value.")
    }

    struct RequiredLater: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<RequiredLater>] = [
            .init("title", \.title, .line(1...40)), .init("level", \.level).since(2),
        ]
        var title: String
        var level: Int
    }
}
