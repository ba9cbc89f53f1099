import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTerminal
import StrataTesting
import Testing

/// Fields that are lists of texts, numbers and choices.
struct EntityListFieldTests {
    struct Recipe: Entity {
        static let noun = "recipe"
        static let collection = "recipes"
        static let fields: [EntityField<Recipe>] = [
            .init("title", \.title, .line(1...40)),
            .init("steps", \.steps, .list(of: .line(1...20), 1...3)).filterable(as: "step"),
            .init("minutes", \.minutes, .list(of: .within(0...600))).filterable,
            .init("grams", \.grams, .list()).filterable,
            .init("days", \.days, .list()).filterable(as: "day"),
            .init("notes", \.notes, .list(of: .line(1...200))).redacted,
        ]

        enum Day: String, FieldChoice { case mon, tue, wed }

        var title: String
        var steps: [String]
        var minutes: [Int]
        var grams: [Double]?
        var days: [Day]
        var notes: [String]?
    }

    struct RecipesService: FeatureService {
        private let table = EntityTable<Recipe>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    private typealias Add = EntityAddCommand<FieldsView<Recipe>>
    private typealias Edit = EntityEditCommand<FieldsView<Recipe>>
    private typealias List = EntityListCommand<FieldsView<Recipe>>

    private static let soup = Recipe(title: "Soup", steps: ["cut it", "boil"], minutes: [5, 20], days: [.mon, .wed])

    @Test func `an entity with lists keeps the contract`() async throws {
        #expect(try await EntityContract<Recipe>(RecipesService()).failures() == [])
    }

    @Test func `what breaks a rule is refused with the element, also by a mutation`() async throws {
        try await withBackend(RecipesService()) { backend in
            let client = try backend.client()
            let soup = try await client.send(CreateEntity(Self.soup))
            let cases: [([String: JSONValue], [String])] = [
                (["steps": .array([.string("ok"), .string("")])], ["steps.1"]), (["steps": .array([])], ["steps"]),
                (["minutes": .array([.integer(1), .integer(601)])], ["minutes.1"]),
                (["minutes": .array(Array(repeating: .integer(1), count: 101))], ["minutes"]),
            ]
            for (number, (changes, fields)) in cases.enumerated() {
                let patch = PatchEntity<Recipe>(id: soup.id, ifMatch: soup.entityTag, changes)
                let mutation = Mutation(
                    id: "m-\(number)", clientSeq: number + 1, collection: "recipes", entityId: soup.id.rawValue,
                    operation: .patch, baseVersion: soup.version, fields: changes, at: soup.updatedAt)
                let pushed = try await client.send(
                    PushMutations(batch: MutationBatch(clientId: "c", mutations: [mutation]))
                ).results.first
                for refusal in [await problem { try await client.send(patch) }, pushed?.error] {
                    #expect(refusal?.status == 422 && refusal?.errors?.map(\.field) == fields, "\(changes)")
                }
            }
        }
    }

    @Test(arguments: [
        ("minutes", JSONValue.array([.string("1")])), ("minutes", .array([.number(1.5)])),
        ("days", .array([.string("sun")])),
        ("grams", .array([.bool(true)])), ("steps", .string("cut")), ("days", .null),
    ])
    func `an element of another type is refused with the field's name`(field: String, value: JSONValue) async throws {
        try await withBackend(RecipesService()) { backend in
            let client = try backend.client()
            let soup = try await client.send(CreateEntity(Self.soup))
            var fields = try Self.soup.wireFields()
            fields[field] = value
            let patch = PatchEntity<Recipe>(id: soup.id, ifMatch: soup.entityTag, [field: value])
            for refusal in [
                await problem { try await client.send(CreateEntity<Recipe>(fields: fields)) },
                await problem { try await client.send(patch) },
            ] {
                #expect(refusal?.status == 422)
                let named = refusal?.errors?.first?.field ?? ""
                #expect(named == field || named.hasPrefix("\(field)."), "\(named)")
            }
        }
    }

    @Test func `commands take one option for each element`() async throws {
        let (console, _, _) = Console.inMemory()
        let add = try Add.parse(
            [
                "--title", "Soup", "--steps", "cut it", "--steps", "boil", "--minutes", "5", "--grams", "-0.5",
                "--grams", "2",
                "--days", "mon", "--days", "wed",
            ])
        #expect(
            try await add.fields.values(console) == [
                "title": .string("Soup"), "steps": .array([.string("cut it"), .string("boil")]),
                "minutes": .array([.integer(5)]), "grams": .array([.number(-0.5), .number(2)]),
                "days": .array([.string("mon"), .string("wed")]),
            ])
        for words in [["--minutes", "x"], ["--days", "sun"], ["--grams", "nan"]] {
            let error = #expect(throws: (any Error).self) { try Add.parse(["--title", "Soup"] + words) }
            #expect(error.map { Add.exitCode(for: $0).rawValue } == 64, "\(words)")
        }
        let list = try List.parse(["--step", "cut it", "--minutes", "5", "--day", "mon"])
        #expect(
            list.list.query(console).filters == [
                "steps": .array([.string("cut it")]), "minutes": .array([.integer(5)]),
                "days": .array([.string("mon")]),
            ])
        #expect(throws: (any Error).self) { try List.parse(["--day", "sun"]) }
        #expect(List.helpMessage(columns: 200).contains("Only those with this one of their steps."))
        let help = Add.helpMessage(columns: 200)
        #expect(help.contains("One of the steps; may be repeated."))
        #expect(help.contains("One of the days, each one of mon, tue, wed; may be repeated."), "\(help)")
    }

    @Test func `a list without an option is empty, and an edit empties one`() async throws {
        let memory = MemoryEntityRepository<Recipe>()
        let (console, output, _) = Console.inMemory(width: 200)
        let entities = EntityUseCases<Recipe>(memory)
        try await Add.parse(["--title", "Soup", "--steps", "cut it"]).run(entities, console)
        let soup = try #require(memory.current.items.first)
        #expect(soup.content == Recipe(title: "Soup", steps: ["cut it"], minutes: [], days: []))
        try await Edit.parse([soup.id.rawValue, "--minutes", "5", "--grams", "2", "--days", "tue"]).run(
            entities, console)
        #expect(memory.current.items.first?.days == [.tue])
        try await Edit.parse([soup.id.rawValue, "--clear", "minutes", "--clear", "grams"]).run(entities, console)
        #expect(
            memory.current.items.first?.content == Recipe(title: "Soup", steps: ["cut it"], minutes: [], days: [.tue]))
        try await List.parse([]).run(entities, console)
        #expect(output.text.contains("cut it") && output.text.contains("tue"))
    }

    @Test func `a filter of a list is one element, by its own rule`() throws {
        func fields(_ filters: [String: JSONValue]) throws -> [String] {
            do throws(DomainError) {
                _ = try EntityQuery<Recipe>(filters: filters).validated()
                return []
            } catch {
                guard case .validation(_, let fields) = error else { return ["\(error)"] }
                return fields.map(\.field)
            }
        }
        #expect(try fields(["steps": .array([.string("boil")]), "days": .array([.string("mon")])]) == [])
        #expect(try fields(["steps": .array([.string("")])]) == ["step"])
        #expect(try fields(["minutes": .array([.integer(601)])]) == ["minutes"])
        #expect(try fields(["steps": .array([.string("a"), .string("b")])]) == ["step"])
        #expect(try fields(["days": .array([])]) == ["day"])
    }

    @Test func `the document has the rule of the elements, and one of them as filter`() {
        let schema = Recipe.changesSchema.properties
        #expect(schema["days"]?.keywords["items"]?.object?["enum"] == .array(["mon", "tue", "wed"]))
        #expect(schema["minutes"]?.keywords["items"]?.object?["maximum"] == 600)
        #expect(schema["steps"]?.keywords["minItems"] == 1 && schema["steps"]?.keywords["maxItems"] == 3)
        #expect(schema["steps"]?.keywords["items"]?.object?["maxLength"] == 20)
    }
}
