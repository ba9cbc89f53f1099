import StrataDomain
import Testing

@testable import StrataService

@Suite struct RouteTableTests {
    private func table(_ routes: Route...) throws -> RouteTable<String> {
        var table = RouteTable<String>()
        for route in routes { try table.insert(route, "\(route)") }
        return table
    }

    private func found(_ table: RouteTable<String>, _ segments: String...) -> String? {
        table.match(segments)?.values[.get]?.value
    }

    @Test func `a literal segment wins over a name`() throws {
        let table = try table(.get("/sessions/{id}"), .get("/sessions/current"))
        #expect(found(table, "sessions", "current") == "GET /sessions/current")
        #expect(found(table, "sessions", "other") == "GET /sessions/{id}")
    }

    @Test func `a literal that leads nowhere does not hide a name`() throws {
        let table = try table(.get("/a/b/c"), .get("/a/{x}/d"))
        #expect(found(table, "a", "b", "d") == "GET /a/{x}/d")
        #expect(found(table, "a", "b", "c") == "GET /a/b/c")
        #expect(found(table, "a", "b") == nil)
    }

    @Test func `each route has its own names for the same place`() throws {
        var table = RouteTable<String>()
        try table.insert(.get("/a/{first}"), "get")
        try table.insert(.put("/a/{second}"), "put")
        let match = try #require(table.match(["a", "7"]))
        #expect(match.values[.get].map(match.parameters) == ["first": "7"])
        #expect(match.values[.put].map(match.parameters) == ["second": "7"])
    }

    @Test func `an empty segment matches no parameter`() throws {
        let table = try table(.get("/a/{x}"))
        #expect(found(table, "a", "") == nil)
        #expect(found(table, "a") == nil)
    }

    @Test func `the same method and path twice is an error`() throws {
        #expect(throws: DuplicateRoute.self) { try table(.get("/a/{x}"), .get("/a/{y}")) }
    }
}
