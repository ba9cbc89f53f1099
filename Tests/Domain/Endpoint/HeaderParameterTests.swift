import StrataDomain
import Testing

struct HeaderParameterTests {
    @Test func `several fields of If-Match are one parameter`() throws {
        #expect(
            try IfMatch.read(["\"1\"", "\"2\", \"3\""], place: .header, key: "If-Match")
                == .tags([EntityTag("1"), EntityTag("2"), EntityTag("3")]))
        #expect(throws: EndpointError.self) { try IfMatch.read(["*", "\"1\""], place: .header, key: "If-Match") }
        #expect(throws: EndpointError.self) { try IfMatch.read([], place: .header, key: "If-Match") }
    }

    @Test func `a route names its parameters`() {
        let route = Route.get("/v1/{a}/b/{c_d}")
        #expect(route.parameterNames == ["a", "c_d"])
        #expect("\(route)" == "GET /v1/{a}/b/{c_d}")
    }
}
