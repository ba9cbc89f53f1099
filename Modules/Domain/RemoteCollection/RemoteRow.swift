public import FoundationEssentials

/// The id of a row at the server. A number is read as its text: `42`.
public struct RemoteID: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id with this text.
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }
    public var description: String { rawValue }

    /// The id in a JSON value, a text or a whole number; `nil` for anything else.
    public init?(_ value: JSONValue?) {
        switch value {
        case .string(let text) where !text.isEmpty: rawValue = text
        case .integer(let number): rawValue = String(number)
        case .number(let number): rawValue = Int(exactly: number).map(String.init) ?? String(number)
        default: return nil
        }
    }
}

extension RemoteID: ParameterValue, MultipleParameter {
    public static var parameterKind: String { "an id" }
    public var parameter: String { rawValue }
    public init?(parameter text: String) {
        if text.isEmpty { return nil }
        rawValue = text
    }
}

extension RemoteID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(JSONValue.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a text or a whole number")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A field that refers to a row of another collection: the entity has a `RemoteID`, and the engine keeps the local id in it.
extension RemoteID: TextFieldValue {
    public var fieldString: String { rawValue }
    public init?(fieldString text: String) { self.init(parameter: text) }
    public init?(fieldValue value: JSONValue) { self.init(value) }
    public static var fieldText: String { "an id" }
    public static func fieldSample(_ number: Int) -> Self { Self("\(number)") }
}

/// A row as the server has it.
public struct RemoteRow: Sendable, Hashable {
    /// The id that the server knows.
    public var id: RemoteID
    /// Changes with the row: a version, a time, an entity tag. Two rows of one id and one revision are one state. `nil`: the
    /// fields are compared.
    public var revision: String?
    /// The `ETag` of the row, for `If-Match`; `nil` when the response had none.
    public var entityTag: String?
    /// The server's time of the change, for `RemoteAbilities.Deltas.since`.
    public var modifiedAt: Date?
    /// The content, keys as on the wire. References are ids of the server.
    public var fields: [String: JSONValue]

    /// A row as the server has it.
    public init(
        id: RemoteID, revision: String? = nil, entityTag: String? = nil, modifiedAt: Date? = nil,
        fields: [String: JSONValue]
    ) {
        self.id = id
        self.revision = revision
        self.entityTag = entityTag
        self.modifiedAt = modifiedAt
        self.fields = fields
    }
}
