public import FoundationEssentials
public import StrataDomain

/// The OpenAPI 3.1 document of a service, made from its routes and the types that serve them.
public struct OpenAPIDocument: Sendable {
    /// The document as JSON.
    public let value: JSONValue
    /// One sentence for each type that the document cannot describe; empty in a complete document.
    public let faults: [String]

    /// - Parameters:
    ///   - version: The version of the service.
    ///   - choices: The texts that it accepts, by type.
    init(
        title: String, version: String, endpoints: [MountedEndpoint], raw: [RawRoute],
        choices: [ObjectIdentifier: [String]] = [:]
    ) {
        let recorder = SchemaRecorder(choices: choices)
        var responses = OpenAPIResponses(problem: recorder.schema(of: Problem.self))
        var paths: [String: [String: JSONValue]] = [:]
        var tags: Set<String> = []
        let operations =
            endpoints.map { ($0.route, OpenAPIOperation($0, $0.describe(recorder)).value(with: &responses)) }
            + raw.map { ($0.route, OpenAPIOperation.value(of: $0, with: &responses)) }
        for (route, operation) in operations {
            paths[route.template, default: [:]][route.method.rawValue.lowercased()] = operation
            tags.insert(route.tag)
        }
        faults = recorder.faults
        value = [
            "openapi": "3.1.0",
            "info": ["title": .string(title), "version": .string(version), "description": .string(Self.rules)],
            // Relative to the address of the document.
            "servers": [["url": "/"]],
            "tags": .array(tags.sorted().map { ["name": .string($0)] }),
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "schemas": .object(recorder.components.mapValues { .object($0.keywords) }),
                "responses": .object(responses.components),
                "headers": .object(OpenAPIHeader.components),
                "parameters": .object(OpenAPIParameter.components),
                "securitySchemes": .object(Self.securitySchemes),
            ],
        ]
    }

    /// The document in one line, for programs.
    public var compact: Data { get throws { try WireJSON.encode(value) } }

    /// The document with a line for each member, for readers and for comparisons.
    public var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }
    }

    /// What holds for every operation.
    private static let rules = """
        Every path that has GET has HEAD, too: the same status and header fields without content (RFC 9110, section 9.3.2). \
        A method that a path does not have is 405 with `Allow`.

        Each response has `X-Request-Id`: that of the request, if it is a token of up to 64 characters (RFC 9110, section 5.6.2), \
        or a new one.

        Each failure is a problem document (RFC 9457) with a stable `code`. Times are those of RFC 3339 in UTC.
        """

    private static let securitySchemes: [String: JSONValue] = [
        "bearer": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The access token of a user (RFC 6750). The role `admin` is for administrators only.",
        ],
        "api_key": [
            "type": "apiKey", "in": "header", "name": "X-API-Key",
            "description": "The key of a host, for the operations that list it. It speaks for this host only.",
        ],
    ]
}

extension Route {
    /// The group of a route in the document: the first segment after the version.
    var tag: String {
        let segments = template.split(separator: "/")
        return segments.first == "v1" && segments.count > 1 ? String(segments[1]) : "service"
    }
}

extension Access {
    /// The security requirements; one of them is enough.
    var requirements: JSONValue {
        switch self {
        case .anyone: []
        case .users: [["bearer": []]]
        case .admins: [["bearer": ["admin"]]]
        case .usersAndHosts: [["bearer": []], ["api_key": []]]
        }
    }
}
