import Foundation
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct `The OpenAPI document` {
    @Test func `has every route of the server, and no other`() async throws {
        try await withDocument { service, document in #expect(Self.differences(service.served, document.value) == []) }
    }

    @Test func `a route that the document lacks is found, and one that the server lacks`() async throws {
        try await withDocument { service, document in
            let planted = service.served + [Route.get("/planted")]
            #expect(Self.differences(planted, document.value) == ["GET /planted"])
            let fewer = service.served.filter { $0 != Route.get("/v1/notes") }
            #expect(Self.differences(fewer, document.value) == ["GET /v1/notes"])
        }
    }

    @Test func `lists in the query have the style in which they are read`() throws {
        struct Search: RoutedEndpoint {
            static let route = Route.get("/v1/search")
            typealias Response = NoContent
            @Query var words: [String]
            @CommaQuery var ids: [Int]
            @SpaceQuery var names: [String]
            @PipeQuery var prices: [Decimal]
            @Query var ratio: Float
            @BracketQuery var tags: [String]
        }
        var routes = APIRoutes()
        routes.handle(Search.self, for: .anyone) { _, _ in NoContent() }
        let document = OpenAPIDocument(title: "t", version: "1", endpoints: routes.mounted, raw: [])
        let operation = try #require(Self.operations(document.value).first?.1)
        guard case .array(let parameters)? = operation["parameters"] else {
            Issue.record("no parameters")
            return
        }
        let shown = parameters.compactMap(\.object).filter { $0["in"] == "query" }.map { parameter in
            let schema = parameter["schema"]?.object
            return [
                parameter["name"], schema?["type"], schema?["items"]?.object?["type"], parameter["style"],
                parameter["explode"], parameter["required"],
            ]
        }
        #expect(
            shown == [
                ["words", "array", "string", nil, nil, false], ["ids", "array", "integer", "form", false, false],
                ["names", "array", "string", "spaceDelimited", false, false],
                ["prices", "array", "number", "pipeDelimited", false, false],
                ["ratio", "number", nil, nil, nil, true],
                ["tags[]", "array", "string", "form", true, false],
            ])
        #expect(document.faults == [])
    }

    @Test func `every reference leads to a component, and every component is used`() async throws {
        try await withDocument { _, document in
            let used = Set(Self.references(in: document.value))
            let components = document.value.object?["components"]?.object ?? [:]
            let present = components.filter { $0.key != "securitySchemes" }.flatMap { kind, members in
                (members.object ?? [:]).keys.map { "#/components/\(kind)/\($0)" }
            }
            #expect(used.subtracting(present).isEmpty)
            #expect(Set(present).subtracting(used).filter { !$0.contains("/headers/") }.isEmpty)
        }
    }

    @Test func `every type is recorded, and no two operations have one id`() async throws {
        try await withDocument { _, document in
            #expect(document.faults == [])
            let ids = Self.operations(document.value).compactMap { $0.1["operationId"]?.string }
            #expect(ids.count > 10 && Set(ids).count == ids.count)
        }
    }

    @Test func `an operation has the parameters, body and failures that its types and access demand`() async throws {
        try await withDocument { _, document in
            let operations = Dictionary(uniqueKeysWithValues: Self.operations(document.value))
            let update = try #require(operations["PUT /v1/notes/{id}"])
            #expect(Self.names(update["parameters"]) == ["Idempotency-Key", "If-Match", "X-Request-Deadline-Ms", "id"])
            let responses = Set(try #require(update["responses"]?.object).keys)
            #expect(
                responses.isSuperset(of: ["200", "400", "401", "403", "404", "409", "412", "413", "415", "422", "429"]))
            #expect(update["requestBody"]?.object?["required"] == true)
            #expect(responses.contains("507") && operations["GET /v1/notes"]?["responses"]?.object?["507"] == nil)
            let page = try #require(operations["GET /page/{status}"]?["responses"]?.object)
            #expect(page["200"]?.object?["content"]?.object?.keys.sorted() == ["text/html"])
            #expect(
                page["400"]?.object?["content"]?.object?.keys.sorted() == ["application/problem+json", "text/html"])
            #expect(page["418"]?.object?["content"]?.object?.keys.sorted() == ["text/html"])
            let list = try #require(operations["GET /v1/notes"])
            #expect(
                Self.names(list["parameters"]) == [
                    "If-None-Match", "X-Request-Deadline-Ms", "cursor", "level", "limit", "since", "urgent",
                ])
            #expect(list["requestBody"] == nil)
            #expect(operations["GET /open"]?["security"] == [])
            #expect(operations["GET /v1/admin"]?["security"] == [["bearer": ["admin"]]])
            let form = operations["POST /v1/forms"]?["requestBody"]?.object?["content"]?.object ?? [:]
            #expect(Set(form.keys) == ["application/json", "application/x-www-form-urlencoded"])
        }
    }

    @Test(arguments: [200, 418]) func `a page has the status and the type that the document names`(status: Int)
        async throws
    {
        try await withService { _, client in
            let page = try await client.send(.get, "/page/\(status)", as: nil)
            #expect(page.status == status && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.cacheControl] == "no-store" && page.text == "<p>\(status)")
        }
    }

    @Test func `is served with an ETag, and a current copy is not sent again`() async throws {
        try await withService { _, client in
            let first = try await client.send(.get, "/openapi.json", as: nil)
            #expect(first.status == 200 && first.headers[.contentType] == "application/json")
            #expect(try first.decoded(JSONValue.self).object?["openapi"] == "3.1.0")
            let tag = try #require(first.headers[.eTag])
            let second = try await client.send(.get, "/openapi.json", as: nil, headers: [.ifNoneMatch: tag])
            #expect(second.status == 304 && second.body.isEmpty)
        }
    }

    // MARK: -

    private func withDocument(
        _ body: @escaping @Sendable (ServiceApplication, OpenAPIDocument) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let application = try service.application()
            try body(application, application.openAPI)
            try await service.close()
        }
    }

    /// Routes that only one of the two has.
    private static func differences(_ served: [Route], _ document: JSONValue) -> Set<String> {
        Set(served.map(\.description)).symmetricDifference(operations(document).map(\.0))
    }

    private static func operations(_ document: JSONValue) -> [(String, [String: JSONValue])] {
        (document.object?["paths"]?.object ?? [:]).flatMap { path, methods in
            (methods.object ?? [:]).map { ("\($0.uppercased()) \(path)", $1.object ?? [:]) }
        }
    }

    private static func names(_ parameters: JSONValue?) -> [String] {
        guard case .array(let list)? = parameters else { return [] }
        return list.compactMap { parameter in
            let reference = parameter.object?["$ref"]?.string?.split(separator: "/").last
            return parameter.object?["name"]?.string ?? reference.map(String.init)
        }.sorted()
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            [members["$ref"]?.string].compactMap { $0 } + members.values.flatMap(references)
        case .array(let values): values.flatMap(references)
        default: []
        }
    }
}
