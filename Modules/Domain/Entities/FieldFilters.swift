/// The filters of a list by name on the wire, as query items of their own. An endpoint with this part has other query items too,
/// and ignores those that it does not know.
@propertyWrapper
public struct FieldFilters<Content: Entity>: Sendable, Codable, EndpointPart {
    public var wrappedValue: [String: JSONValue]
    public init(wrappedValue: [String: JSONValue]) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) {
        for item in EntityQuery<Content>(filters: wrappedValue).items.items { request.query.add(item.name, item.value) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        var filters: [String: JSONValue] = [:]
        for field in Content.fields where field.isFilterable {
            let texts = parts.query.values(field.filterName)
            guard let text = try Optional<String>.read(texts, place: .query, key: field.filterName) else { continue }
            guard let value = field.parse(text) else {
                throw EndpointError(.malformed, in: .query, key: field.filterName, expected: field.text)
            }
            filters[field.name] = value
        }
        return Self(wrappedValue: filters)
    }

    static func describe(in recording: PartsRecording, name: String) -> Self {
        for field in Content.fields where field.isFilterable {
            // A filter of words is one word.
            let word = field.schema.keywords["items"]?.object.map { JSONSchema($0) }
            recording.add(field.filterName, in: .query, word ?? field.schema)
        }
        return Self(wrappedValue: [:])
    }
}
