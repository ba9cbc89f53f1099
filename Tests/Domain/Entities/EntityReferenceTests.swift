import StrataDomain
import Testing

struct EntityReferenceTests {
    private struct Depot: Entity {
        static let noun = "depot"
        static let collection = "depots"
        static let fields: [EntityField<Depot>] = [
            .init("notes", \.notes, .lines(1...400)), .init("title", \.title, .line(1...40)),
            .init("code", \.code, .line(1...9)).unique,
        ]
        var notes: String
        var title: String
        var code: String
    }

    private struct Visit: Entity {
        static let noun = "visit"
        static let collection = "visits"
        static let nameFieldName: String? = "reason"
        static let fields: [EntityField<Visit>] = [
            .init("title", \.title, .line(1...40)), .init("depot", \.depot).references(Depot.self),
            .init("next", \.next).references(Depot.self, onDelete: .clear), .init("reason", \.reason, .line(1...40)),
        ]
        var title: String
        var depot: Depot.ID
        var next: Depot.ID?
        var reason: String
    }

    @Test func `a reference restricts unless it says otherwise, and is a filter`() {
        let fields = Visit.fields.filter { $0.reference != nil }
        #expect(fields.map { $0.reference?.onDelete } == [.restrict, .clear])
        #expect(fields.allSatisfy { $0.isFilterable && $0.reference?.target == Depot.self })
    }

    @Test func `the name of an entity is what it says, else its unique line`() {
        #expect(Visit.nameField?.name == "reason")
        #expect(Depot.nameField?.name == "code")
    }

    @Test func `the list below an entity is that of the first field that refers to it`() throws {
        typealias Nested = ListReferring<Visit, Depot>
        #expect(Nested.route.template == "/v1/depots/{id}/visits")
        #expect(Nested.field?.name == "depot")
        let call = Nested(id: Depot.ID("d-1"), EntityQuery(filters: ["next": .string("d-2")], limit: 3))
        let query = try call.listQuery()
        #expect(query == EntityQuery(filters: ["next": .string("d-2"), "depot": .string("d-1")], limit: 3))
        #expect(throws: EndpointError.self) {
            try Nested(id: Depot.ID("d-1"), EntityQuery(filters: ["depot": .string("d-1")])).listQuery()
        }
    }

    @Test func `what refers to others is farther from the ground`() {
        let depths = ReferenceOrder.depths([
            "locks": ["lockers", "teams"], "lockers": ["teams"], "teams": [], "a": ["b"], "b": ["a"],
            "c": ["nowhere"],
        ])
        #expect(depths["teams"] == 1 && depths["lockers"] == 2 && depths["locks"] == 3 && depths["c"] == 1)
        #expect(depths["a"] != nil && depths["b"] != nil)
    }

    @Test func `a circle of references is found, and only that`() {
        #expect(ReferenceOrder.circle(["nodes": ["nodes"]]) == ["nodes", "nodes"])
        #expect(ReferenceOrder.circle(["x": ["a"], "a": ["teams", "b"], "b": ["a"], "teams": []]) == ["a", "b", "a"])
        #expect(ReferenceOrder.circle(["locks": ["lockers", "teams"], "lockers": ["teams"], "c": ["nowhere"]]) == nil)
    }
}
