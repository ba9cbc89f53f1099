/// A list in one query item, separated by commas: `ids=1,2,3`. An empty list is left out.
///
/// Its elements must not be empty or have a comma of their own; both are an error.
@propertyWrapper
public struct CommaQuery<Element: ParameterValue>: Sendable, EndpointPart {
    /// The elements; an empty list sends no item.
    public var wrappedValue: [Element]
    /// A list that is sent as one item, with commas.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) throws(EndpointError) {
        let key = request.form.keys.spelled(name)
        try wrappedValue.checkParameter(in: .query, key: key)
        let texts = wrappedValue.parameters
        guard !texts.contains(where: { $0.isEmpty || $0.contains(",") }) else { throw Self.malformed(key) }
        if !texts.isEmpty { request.query.add(key, texts.joined(separator: ",")) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        let key = WireNames.snakeCase(name)
        let items = parts.query.values(key)
        guard let text = items.first else { return Self(wrappedValue: []) }
        let texts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard items.count == 1, !texts.contains("") else { throw malformed(key) }
        return Self(wrappedValue: try .read(texts, place: .query, key: key))
    }

    private static func malformed(_ key: String) -> EndpointError {
        EndpointError(
            .malformed, in: .query, key: key,
            expected: "sent once, with values that are not empty and have no comma, separated by commas")
    }

    static func describe(in recording: PartsRecording, name: String) throws -> Self {
        Self(wrappedValue: try recording.add(WireNames.snakeCase(name), in: .query, [Element].self, explode: false))
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
extension BracketQuery: Codable {}
