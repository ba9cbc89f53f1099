/// What the types of an endpoint do not say about it, for the OpenAPI document.
///
/// ```swift
/// static let documentation = EndpointDocumentation(
///     details: "By title, in pages.", schemas: ["limit": .integer(1...200, default: 50)], problems: [409: ["name_taken"]])
/// ```
public struct EndpointDocumentation: Sendable {
    /// A few words, from which the operation id is made: `List notes`. `nil` takes the words of the type's name.
    public var summary: String?
    /// Sentences in Markdown.
    public var details: String?
    /// Rules of a parameter, by name on the wire; those of the body under `body`.
    public var schemas: [String: JSONSchema]
    /// The problem codes of its own failures, by status. Those that follow from its types and access are known.
    public var problems: [Int: [String]]
    /// Other statuses with content of the response's type, each with a sentence.
    public var statuses: [Int: String]

    /// What the OpenAPI document says about an endpoint beside its types.
    public init(
        _ summary: String? = nil, details: String? = nil, schemas: [String: JSONSchema] = [:],
        problems: [Int: [String]] = [:], statuses: [Int: String] = [:]
    ) {
        (self.summary, self.details, self.schemas) = (summary, details, schemas)
        (self.problems, self.statuses) = (problems, statuses)
    }
}

/// The parameters, body and response of an endpoint, read from its types.
public struct EndpointDescription: Sendable {
    /// A parameter of the path, of the query, or in the header.
    public struct Parameter: Sendable, Hashable {
        /// The name on the wire.
        public var name: String
        /// Where it is sent.
        public var place: EndpointError.Place
        /// Whether a request without it is refused.
        public var isRequired: Bool
        /// The values that it takes.
        public var schema: JSONSchema
        /// Whether each value of a list in the query has an item of its own (`explode` of OpenAPI); `false` joins them as `style` says.
        /// Default `nil`: not said, which means that it has.
        public var explode: Bool?
        /// How the values of a list are joined (`style` of OpenAPI), such as `pipeDelimited`. Default `nil`: `form`, with commas.
        public var style: String?

        /// A parameter of an endpoint.
        public init(
            name: String, place: EndpointError.Place, isRequired: Bool, schema: JSONSchema, explode: Bool? = nil,
            style: String? = nil
        ) {
            (self.name, self.place, self.isRequired, self.schema) = (name, place, isRequired, schema)
            (self.explode, self.style) = (explode, style)
        }
    }

    /// Method and path.
    public let route: Route
    /// What the endpoint says about itself.
    public let documentation: EndpointDocumentation
    /// As in `EndpointDocumentation`, or the words of the type's name.
    public let summary: String
    /// The parameters, in the order of the type.
    public internal(set) var parameters: [Parameter] = []
    /// `nil` without a body.
    public internal(set) var body: JSONSchema?
    /// The media types of the body; `*/*` for any.
    public internal(set) var bodyTypes: [String] = []
    /// The status of a success, such as 201.
    public let successStatus: Int
    /// `nil` for a response without content.
    public let response: JSONSchema?
    /// Whether the response has an `ETag`.
    public let isTagged: Bool
    /// Whether the response has a `Link` to the next page.
    public let isPage: Bool

    /// - Parameter recorder: Gets the schemas of objects, and a fault for a type that cannot be recorded or leaves a part out.
    public init<E: RoutedEndpoint>(_ type: E.Type, by recorder: SchemaRecorder) {
        (route, documentation, successStatus) = (E.route, E.documentation, E.successStatus)
        summary = E.documentation.summary ?? Self.words(of: "\(E.self)")
        response = E.Response.self == NoContent.self ? nil : recorder.schema(of: E.Response.self)
        isTagged =
            E.Response.self is any EntityTagged.Type
            || E.route.method == .get && E.Response.self is any ContentTagged.Type
        isPage = E.Response.self is any LinkedPage.Type
        let parts = PartsRecording(recorder)
        do {
            try parts.record(E.self)
        } catch let error as EndpointError where error.kind == .badDeclaration {
            recorder.report(error.description)
        } catch {
            recorder.report("\(E.self) cannot be recorded: \(error).")
        }
        (parameters, body, bodyTypes) = (parts.parameters, parts.body, parts.bodyTypes)
        for (index, parameter) in parameters.enumerated() {
            if isPage, parameter.name == "cursor" { parameters[index].schema = .cursor }
            parameters[index].schema = parameters[index].schema.merging(documentation.schemas[parameter.name])
            // Its absence has a status of its own, so the type reads it as optional.
            if parameter.name == "If-Match", documentation.problems[428] != nil { parameters[index].isRequired = true }
        }
        if let rules = documentation.schemas["body"] { body = rules }
    }

    /// `ListLabReports` → `List lab reports`.
    private static func words(of name: String) -> String {
        let words = WireNames.snakeCase(name).replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension RoutedEndpoint {
    /// Checks that each stored property is a part of the request. A service does so for each type that it mounts.
    ///
    /// - Throws: An error of the kind `badDeclaration` for a property that is no part, and for a part that `CodingKeys` leave out. A
    ///   type whose values cannot be recorded for the OpenAPI document is no error here.
    package static func checkDeclaration() throws(EndpointError) {
        do {
            try PartsRecording(SchemaRecorder()).record(Self.self)
        } catch let error as EndpointError where error.kind == .badDeclaration {
            throw error
        } catch {}
    }
}

/// The parts of an endpoint, as they describe themselves.
final class PartsRecording: PartsDecoder {
    let recorder: SchemaRecorder
    var parameters: [EndpointDescription.Parameter] = []
    var body: JSONSchema?
    var bodyTypes: [String] = []
    /// The properties, as their keys name them.
    var names: [String] = []

    init(_ recorder: SchemaRecorder) { self.recorder = recorder }

    func record<E: RoutedEndpoint>(_ type: E.Type) throws {
        do {
            try EndpointEncoder.checkParts(of: E(from: self), written: names)
        } catch let error as EndpointError {
            throw error.naming(E.self)
        }
    }

    /// Adds a parameter of the type of `Value`; it is optional where the type is.
    func add<Value: Decodable>(
        _ name: String, in place: EndpointError.Place, _ type: Value.Type, explode: Bool? = nil, style: String? = nil
    ) throws -> Value {
        let (schema, value) = try recorder.record(type)
        parameters.append(
            .init(
                name: name, place: place, isRequired: !schema.allowsNone, schema: schema.withoutNull, explode: explode,
                style: style))
        return value
    }

    func add(_ name: String, in place: EndpointError.Place, _ schema: JSONSchema, isRequired: Bool = false) {
        parameters.append(.init(name: name, place: place, isRequired: isRequired, schema: schema))
    }

    func part(_ type: any EndpointPart.Type, named name: String) throws -> any EndpointPart {
        names.append(name)
        return try type.describe(in: self, name: name)
    }
}

extension JSONSchema {
    /// Whether a parameter of this schema may be left out: an optional value, or a list.
    fileprivate var allowsNone: Bool { withoutNull != self || keywords["type"] == .string("array") }

    /// A parameter is text, so it is never `null`.
    fileprivate var withoutNull: JSONSchema {
        var schema = self
        if case .array(let types)? = keywords["type"], let type = types.first { schema.keywords["type"] = type }
        if case .array(let choices)? = keywords["enum"] {
            schema.keywords["enum"] = .array(choices.filter { $0 != .null })
        }
        return schema
    }
}
