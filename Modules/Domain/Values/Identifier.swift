/// The id of an entity: opaque text. Ids of different entities are different types.
public struct Identifier<Content>: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The identifier with this text.
    public init(_ text: String) { rawValue = text }
}

extension Identifier: ParameterValue, MultipleParameter {
    public static var parameterKind: String { "an id of 1 to 128 visible ASCII characters" }
    public var parameter: String { rawValue }

    public init?(parameter text: String) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        rawValue = text
    }
}

extension Identifier: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(parameter: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.parameterKind)
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Identifier: CustomStringConvertible {
    public var description: String { rawValue }
}

extension Identifier: SchemaDescribing {
    /// As `parameterKind` says.
    static var rule: JSONSchema { .text(1...128, pattern: "^[!-~]+$") }
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { rule }
    public static func placeholder() -> Identifier { Identifier("x") }
}
