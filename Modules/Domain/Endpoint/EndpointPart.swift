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
    var pathParameters: [String: String] = [:]
    var query = QueryItems()
    var headers = HeaderFields()
    var body: RequestBody?
}

/// A `{name}` segment of the route.
@propertyWrapper
public struct Path<Value: ParameterValue>: Sendable, EndpointPart {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) {
        request.pathParameters[WireNames.snakeCase(name)] = wrappedValue.parameter
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

/// A query item, named after the property in snake_case: a value, an optional value, or an array for a repeated name.
@propertyWrapper
public struct Query<Value: MultipleParameter>: Sendable, EndpointPart {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) {
        for text in wrappedValue.parameters { request.query.add(WireNames.snakeCase(name), text) }
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
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) {
        for text in wrappedValue.parameters { request.headers.add(WireNames.headerName(name), text) }
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
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        do {
            request.body =
                if wrappedValue is any FormBody {
                    RequestBody(contentType: MediaType.form, bytes: try FormCoding.encode(wrappedValue))
                } else {
                    try .json(wrappedValue)
                }
        } catch {
            throw EndpointError(.malformed, in: .body, key: name, expected: "encodable as \(Value.self)")
        }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let isForm = Value.self is any FormBody.Type
        guard let body = parts.body, !body.bytes.isEmpty else {
            throw EndpointError(.missing, in: .body, key: "body", expected: isForm ? "a form" : "a JSON document")
        }
        switch MediaType.essence(body.contentType) {
        case MediaType.json: return Self(wrappedValue: try BodyReader.json(Value.self, body.bytes))
        case MediaType.form where isForm: return Self(wrappedValue: try FormCoding.decode(Value.self, body.bytes))
        default:
            let accepted = isForm ? "\(MediaType.form) or \(MediaType.json)" : MediaType.json
            throw EndpointError(.unsupportedMediaType, in: .body, key: "Content-Type", expected: accepted)
        }
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        let (schema, value) = try recording.recorder.record(Value.self)
        (recording.body, recording.takesForm) = (schema, Value.self is any FormBody.Type)
        return Self(wrappedValue: value)
    }
}

// The synthesised Codable of an endpoint only needs the wrappers to be Codable; `EndpointEncoder` and
// `EndpointDecoder` intercept them by type before these run.
extension Path: Codable {}
extension Query: Codable {}
extension Header: Codable {}
extension Body: Codable {}
