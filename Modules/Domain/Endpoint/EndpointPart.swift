import FoundationEssentials

/// A property wrapper that knows its place in a request.
///
/// Reading is the inverse of writing. A value that cannot be read is an error, also when it is optional.
protocol EndpointPart: Sendable {
    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError)
    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self
    /// Adds the part to a description. Returns any value.
    static func describe(in recording: PartsRecording, name: String) throws -> Self
}

/// The request that the parts of an endpoint write.
struct EndpointBuilder {
    /// How names, dates and the body are spelled.
    let form: JSONForm = JSONForm.current ?? .snakeCase
    var pathParameters: [String: String] = [:]
    var query = QueryItems()
    var headers = HeaderFields()
    var body: RequestBody?
}

/// A `{name}` segment of the route, named after the property in snake_case; in a form of another server also as declared.
@propertyWrapper
public struct Path<Value: ParameterValue>: Sendable, EndpointPart {
    /// The value of the parameter.
    public var wrappedValue: Value
    /// A parameter of the path with its value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        let key = WireNames.snakeCase(name)
        try wrappedValue.checkParameter(in: .path, key: key)
        request.pathParameters[key] = wrappedValue.parameter
        if !request.form.isWire { request.pathParameters[name] = wrappedValue.parameter }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let key = WireNames.snakeCase(name)
        guard let text = parts.pathParameters[key] else {
            throw EndpointError(.missing, in: .path, key: key, expected: Value.parameterKind)
        }
        guard let value = Value(parameter: text) else {
            throw EndpointError(.malformed, in: .path, key: key, expected: Value.parameterKind)
        }
        return Self(wrappedValue: value)
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try recording.add(WireNames.snakeCase(name), in: .path, Value.self))
    }
}

/// A query item: a value, an optional value that is left out when it is `nil`, or an array for a repeated name (`ids=1&ids=2`).
///
/// It is named after the property or its `CodingKeys` value as the JSON form says, so in snake_case by default. An optional needs
/// no argument of the initialiser, and a default value is one there. `@CommaQuery`, `@SpaceQuery`, `@PipeQuery`
/// and `@BracketQuery` write arrays otherwise.
@propertyWrapper
public struct Query<Value: MultipleParameter>: Sendable, EndpointPart {
    /// The value of the item; `nil` sends none.
    public var wrappedValue: Value
    /// An item of the query with its value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        let key = request.form.keys.spelled(name)
        try wrappedValue.checkParameter(in: .query, key: key)
        for text in wrappedValue.parameters { request.query.add(key, text) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let key = WireNames.snakeCase(name)
        return Self(wrappedValue: try .read(parts.query.values(key), place: .query, key: key))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try recording.add(WireNames.snakeCase(name), in: .query, Value.self))
    }
}

/// A header field, named after the property: `ifMatch` is `If-Match`.
@propertyWrapper
public struct Header<Value: MultipleParameter>: Sendable, EndpointPart {
    /// The value of the field; `nil` sends none.
    public var wrappedValue: Value
    /// A field of the header with its value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        let key = WireNames.headerName(name)
        try wrappedValue.checkParameter(in: .header, key: key)
        for text in wrappedValue.parameters { request.headers.add(key, text) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let key = WireNames.headerName(name)
        return Self(wrappedValue: try .read(parts.headers.values(key), place: .header, key: key))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try recording.add(WireNames.headerName(name), in: .header, Value.self))
    }
}

/// The request body: JSON, or for a `FormBody` a form.
@propertyWrapper
public struct Body<Value: Codable & Sendable>: Sendable, EndpointPart {
    /// The value that is sent as the body.
    public var wrappedValue: Value
    /// A body with its value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        request.body = try .encoded(wrappedValue)
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let isForm = Value.self is any FormBody.Type
        guard let body = parts.body, !body.bytes.isEmpty else {
            throw EndpointError(.missing, in: .body, key: "body", expected: isForm ? "a form" : "a JSON document")
        }
        switch MediaType.essence(body.contentType) {
        case MediaType.json:
            if let type = Value.self as? any Entity.Type, let content = try present(type, body) {
                return Self(wrappedValue: content)
            }
            return Self(wrappedValue: try BodyReader.json(Value.self, body.bytes))
        case MediaType.form where isForm: return Self(wrappedValue: try FormCoding.decode(Value.self, body.bytes))
        default:
            let accepted = isForm ? "\(MediaType.form) or \(MediaType.json)" : MediaType.json
            throw EndpointError(.unsupportedMediaType, in: .body, key: "Content-Type", expected: accepted)
        }
    }

    /// An entity whose sender may be of the version before.
    private static func present(_ type: (some Entity).Type, _ body: RequestBody) throws(EndpointError) -> Value? {
        try type.presentBody(body.bytes) as? Value
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        let (schema, value) = try recording.recorder.record(Value.self)
        recording.body = schema
        recording.bodyTypes = Value.self is any FormBody.Type ? [MediaType.json, MediaType.form] : [MediaType.json]
        return Self(wrappedValue: value)
    }
}

/// The request body as its bytes, of any media type. For what is signed over its bytes, such as a webhook of another service.
@propertyWrapper
public struct RawBody: Sendable, EndpointPart {
    /// The bytes, which are never empty on a server, and their media type.
    public var wrappedValue: RequestBody
    /// A body that is sent as it is.
    public init(wrappedValue: RequestBody) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) { request.body = wrappedValue }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        guard let body = parts.body, !body.bytes.isEmpty else {
            throw EndpointError(.missing, in: .body, key: "body", expected: "a body")
        }
        return Self(wrappedValue: body)
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        (recording.body, recording.bodyTypes) = (.any, ["*/*"])
        return Self(wrappedValue: RequestBody(contentType: "", bytes: Data()))
    }
}

// With an `init()` only for optionals, the memberwise initialiser of an endpoint still takes plain values.
extension Query where Value: ExpressibleByNilLiteral {
    /// No item.
    public init() { self.init(wrappedValue: nil) }
}

extension Header where Value: ExpressibleByNilLiteral {
    /// No field.
    public init() { self.init(wrappedValue: nil) }
}

// The synthesised Codable of an endpoint only needs the wrappers to be Codable; `EndpointEncoder` and
// `EndpointDecoder` intercept them by type before these run.
extension Path: Codable {}
extension Query: Codable {}
extension Header: Codable {}
extension Body: Codable {}
extension RawBody: Codable {
    /// - Throws: Always: bytes are no part of a document.
    public init(from decoder: any Decoder) throws { throw EndpointError(declaration: nil) }
    /// - Throws: Always: bytes are no part of a document.
    public func encode(to encoder: any Encoder) throws { throw EndpointError(declaration: nil) }
}
