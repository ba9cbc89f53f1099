import Foundation
import StrataDomain

/// Each signature below is a copy of the protocol's.

/// An endpoint that writes its request itself.
struct Ping: Endpoint {
    typealias Response = NoContent
    func request() throws(EndpointError) -> EndpointRequest { EndpointRequest(path: "/ping") }
}

struct Search: ManualEndpoint {
    typealias Response = [String]
    var method: HTTPMethod { .post }
    var path: String { "/search" }
    var headers: HeaderFields { ["X-Search": "1"] }
    var query: QueryItems { ["page": "1"] }
    func body() throws -> RequestBody? { try .json(["text"]) }
}

struct Page: Codable, Sendable, EntityTagged, LinkedPage {
    var entityTag: EntityTag { EntityTag("1") }
    var nextPageQuery: [String: String]? { ["page": "2"] }
}

struct ListPages: RoutedEndpoint {
    static var route: Route { .get("/pages") }
    static var successStatus: Int { 200 }
    static var documentation: EndpointDocumentation { EndpointDocumentation() }
    typealias Response = Page
    @Query var sizes: Sizes
}

struct Login: FormBody {
    var user: String
}

struct Size: ParameterValue {
    static var parameterKind: String { "a size" }
    var parameter: String { "s" }
    init?(parameter: String) {}
}

struct Sizes: MultipleParameter {
    var parameters: [String] { [] }
    static func read(_ texts: [String], place: EndpointError.Place, key: String) throws(EndpointError) -> Self {
        Sizes()
    }
}

// MARK: - Schemas

struct Weight: SchemaDescribing, SchemaNaming, SchemaRefining {
    static var schemaName: String { "Weight" }
    static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .integer() }
    static func placeholder() throws -> Self { Weight() }
    static func refined(_ schema: JSONSchema) -> JSONSchema { schema }
}
