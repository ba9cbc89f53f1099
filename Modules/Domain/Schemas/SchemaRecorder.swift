/// Finds the schema of a `Decodable` type by running its `init(from:)` with a decoder that only records what is asked for.
///
/// Objects become components, each once. A type that cannot be recorded is a fault: it contains itself, or it refuses the
/// recorded values; let it conform to `SchemaDescribing`.
public final class SchemaRecorder {
    /// The schemas of objects, by name.
    public private(set) var components: [String: JSONSchema] = [:]
    /// One sentence for each type that could not be recorded.
    public private(set) var faults: [String] = []
    private var names: [ObjectIdentifier: String] = [:]
    private let choices: [ObjectIdentifier: [String]]

    /// A recorder without components.
    public init() { choices = [:] }

    /// - Parameter choices: The texts that a service accepts for types which accept any.
    package init(choices: [ObjectIdentifier: [String]]) { self.choices = choices }

    /// One of the texts that the service accepts for a type, or any text.
    public func choice(of type: Any.Type) -> JSONSchema {
        choices[ObjectIdentifier(type)].map(JSONSchema.choice) ?? .text()
    }

    /// The schema of the type, or a reference to its component; one that cannot be recorded is a fault, and any value
    /// fits.
    public func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        do { return try record(type).schema } catch {
            report("\(type) cannot be recorded: \(error).")
            return .any
        }
    }

    func report(_ fault: String) { faults.append(fault) }

    /// The schema, and a value that stands for any.
    func record<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONSchema, value: Value) {
        if let type = type as? any SchemaDescribing.Type, let value = try type.placeholder() as? Value {
            return (type.schema(self), value)
        }
        if let (choices, first) = (type as? any CaseIterable.Type).flatMap({ Self.choices($0) }),
            let value = first as? Value
        {
            return (.choice(choices), value)
        }
        let recording = Recording(self)
        let value = try Value(from: recording)
        let schema = (type as? any SchemaRefining.Type)?.refined(recording.schema) ?? recording.schema
        return (schema.keywords["type"] == .string("object") ? component(type, schema) : schema, value)
    }

    /// The texts of an enumeration of texts.
    private static func choices<Choice: CaseIterable>(_ type: Choice.Type) -> (texts: [String], first: Any)? {
        let texts = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard let first = type.allCases.first, texts.count == type.allCases.count else { return nil }
        return (texts, first)
    }

    private func component(_ type: any Decodable.Type, _ schema: JSONSchema) -> JSONSchema {
        let id = ObjectIdentifier(type)
        if let name = names[id] { return .reference(name) }
        let name = (type as? any SchemaNaming.Type)?.schemaName ?? Self.name(type)
        // Types of two modules may have one name.
        let unique = components[name] == nil ? name : "\(name)\(components.keys.count { $0.hasPrefix(name) } + 1)"
        (names[id], components[unique]) = (unique, schema)
        return .reference(unique)
    }

    /// The name of a type without its generic parameters' brackets: `List_Note`.
    static func name(_ type: Any.Type) -> String {
        (type as? any SchemaNaming.Type)?.schemaName
            ?? String(describing: type).split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    }
}

/// A type whose component has another name than the type.
public protocol SchemaNaming {
    /// The name of the component of the type.
    static var schemaName: String { get }
}

/// A decoder that records what is asked for, and has no document.
protocol RecordingDecoder: Decoder {}

/// The part of a recording that belongs to one value.
private final class Recording: RecordingDecoder {
    let recorder: SchemaRecorder
    var schema = JSONSchema.any
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ recorder: SchemaRecorder) { self.recorder = recorder }

    /// An optional member may be absent or `null`.
    func add(_ name: String, _ member: JSONSchema, isOptional: Bool) {
        schema.properties[name] = isOptional ? member.orNull : member
        if !isOptional { schema.required += [name] }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        schema.keywords["type"] = .string("object")
        return KeyedDecodingContainer(RecordingContainer(recording: self))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { RecordingValue(recording: self) }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a list of values of several types"))
    }
}

private struct RecordingValue: SingleValueDecodingContainer {
    let recording: Recording
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (schema, value) = try recording.recorder.record(type)
        recording.schema = schema
        return value
    }
}

private final class RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let recording: Recording
    /// The key of a `decodeIfPresent`, which asks for the presence of a key before it decodes.
    private var optional: String?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    init(recording: Recording) { self.recording = recording }

    func contains(_ key: Key) -> Bool {
        optional = key.stringValue
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (schema, value) = try recording.recorder.record(type)
        recording.add(WireNames.snakeCase(key.stringValue), schema, isOptional: optional == key.stringValue)
        optional = nil
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw refusal(key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw refusal(key) }
    func superDecoder() -> any Decoder { recording }
    func superDecoder(forKey key: Key) -> any Decoder { recording }

    private func refusal(_ key: Key) -> DecodingError {
        .dataCorrupted(.init(codingPath: [key], debugDescription: "decode a type of its own"))
    }
}
