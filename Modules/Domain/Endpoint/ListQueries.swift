/// A list in one query item, separated by commas, which are sent as `%2C`: `ids=1%2C2` (`form` of OpenAPI 3.1, section 4.8.12, without
/// `explode`). An empty list is left out.
///
/// Its elements must not be empty or have a comma of their own; both are an error.
@propertyWrapper
public struct CommaQuery<Element: ParameterValue>: Sendable, EndpointPart {
    /// The elements; an empty list sends no item.
    public var wrappedValue: [Element]
    /// A list that is sent as one item, with commas.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        try Delimiter.comma.write(wrappedValue, to: &request, name: name)
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        Self(wrappedValue: try Delimiter.comma.read(from: parts, name: name))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try Delimiter.comma.describe(in: recording, name: name))
    }
}

/// A list in one query item, separated by spaces, which are sent as `%20`: `ids=1%202` (`spaceDelimited` of OpenAPI 3.1). Otherwise as
/// `CommaQuery`.
@propertyWrapper
public struct SpaceQuery<Element: ParameterValue>: Sendable, EndpointPart {
    /// The elements; an empty list sends no item.
    public var wrappedValue: [Element]
    /// A list that is sent as one item, with spaces.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        try Delimiter.space.write(wrappedValue, to: &request, name: name)
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        Self(wrappedValue: try Delimiter.space.read(from: parts, name: name))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try Delimiter.space.describe(in: recording, name: name))
    }
}

/// A list in one query item, separated by vertical bars, which are sent as `%7C`: `ids=1%7C2` (`pipeDelimited` of OpenAPI 3.1).
/// Otherwise as `CommaQuery`.
@propertyWrapper
public struct PipeQuery<Element: ParameterValue>: Sendable, EndpointPart {
    /// The elements; an empty list sends no item.
    public var wrappedValue: [Element]
    /// A list that is sent as one item, with vertical bars.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        try Delimiter.pipe.write(wrappedValue, to: &request, name: name)
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        Self(wrappedValue: try Delimiter.pipe.read(from: parts, name: name))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try Delimiter.pipe.describe(in: recording, name: name))
    }
}

/// What stands between the elements of a list in one query item.
private struct Delimiter {
    /// No `Character`: an accent that follows would make another one of it.
    let sign: Unicode.Scalar
    /// In a message.
    let name: String
    /// In OpenAPI; `nil` for its default, `form`.
    let style: String?

    static var comma: Delimiter { Delimiter(sign: ",", name: "comma", style: nil) }
    static var space: Delimiter { Delimiter(sign: " ", name: "space", style: "spaceDelimited") }
    static var pipe: Delimiter { Delimiter(sign: "|", name: "vertical bar", style: "pipeDelimited") }

    func write(
        _ list: [some ParameterValue], to request: inout EndpointBuilder, name: String
    ) throws(EndpointError) {
        let key = request.form.keys.spelled(name)
        try list.checkParameter(in: .query, key: key)
        let texts = list.parameters
        guard !texts.contains(where: { $0.isEmpty || $0.unicodeScalars.contains(sign) }) else { throw malformed(key) }
        if !texts.isEmpty { request.query.add(key, texts.joined(separator: String(sign))) }
    }

    func read<Element: ParameterValue>(from parts: EndpointParts, name: String) throws(EndpointError) -> [Element] {
        let key = WireNames.snakeCase(name)
        let items = parts.query.values(key)
        guard let text = items.first else { return [] }
        let texts = text.unicodeScalars.split(separator: sign, omittingEmptySubsequences: false).map { String($0) }
        guard items.count == 1, !texts.contains("") else { throw malformed(key) }
        return try .read(texts, place: .query, key: key)
    }

    func describe<Element: ParameterValue>(in recording: PartsRecording, name: String) throws -> [Element] {
        try recording.add(WireNames.snakeCase(name), in: .query, [Element].self, explode: false, style: style)
    }

    private func malformed(_ key: String) -> EndpointError {
        EndpointError(
            .malformed, in: .query, key: key,
            expected: "sent once, with values that are not empty and have no \(name), separated by \(name)s")
    }
}

/// A list whose name is repeated with brackets: `ids[]=1&ids[]=2`, as PHP and Rails read it. An empty list is left out.
@propertyWrapper
public struct BracketQuery<Element: ParameterValue>: Sendable, EndpointPart {
    /// The elements; an empty list sends no item.
    public var wrappedValue: [Element]
    /// A list that is sent as repeated items, with brackets behind the name.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        let key = request.form.keys.spelled(name) + "[]"
        try wrappedValue.checkParameter(in: .query, key: key)
        for text in wrappedValue.parameters { request.query.add(key, text) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let key = WireNames.snakeCase(name) + "[]"
        return Self(wrappedValue: try .read(parts.query.values(key), place: .query, key: key))
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(
            wrappedValue: try recording.add(WireNames.snakeCase(name) + "[]", in: .query, [Element].self, explode: true)
        )
    }
}

extension CommaQuery: Codable {}
extension SpaceQuery: Codable {}
extension PipeQuery: Codable {}
extension BracketQuery: Codable {}
