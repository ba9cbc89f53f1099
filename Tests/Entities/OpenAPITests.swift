import StrataDomain
import StrataFeatureTesting
import StrataService
import Testing

@testable import SpecimensService

private struct GetDocument: ManualEndpoint {
    typealias Response = JSONValue
    let method = HTTPMethod.get
    let path = "/openapi.json"
}

@Suite struct `A generated feature in the OpenAPI document` {
    @Test func `has its six operations, its rules and its filters without a line of its own`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let document = try await backend.anonymous().send(GetDocument())
            let paths = document.object?["paths"]?.object ?? [:]
            #expect(Set((paths["/v1/specimens"]?.object ?? [:]).keys) == ["get", "post"])
            #expect(Set((paths["/v1/specimens/{id}"]?.object ?? [:]).keys) == ["get", "put", "patch", "delete"])
            let fields = document.object?["components"]?.object?["schemas"]?.object?["SpecimenFields"]?.object
            let legs = fields?["properties"]?.object?["leg_count"]?.object
            #expect(legs?["minimum"] == 0 && legs?["maximum"] == 1000)
            guard case .array(let parameters)? = paths["/v1/specimens"]?.object?["get"]?.object?["parameters"] else {
                Issue.record("The list has no parameters.")
                return
            }
            let names = Set(parameters.compactMap { $0.object?["name"]?.string })
            #expect(names.isSuperset(of: ["cursor", "limit", "leg_count", "home_terrain", "kept_by", "q", "sort"]))
        }
    }
}
