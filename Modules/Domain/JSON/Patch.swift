/// A member of a partial update: left out, set to `null`, or set to a value (RFC 7396).
///
/// ```swift
/// struct IssuePatch: Codable {
///     var title: Patch<String> = .absent
///     var assignee: Patch<String> = .absent
/// }
/// try JSONForm.snakeCase.encode(IssuePatch(assignee: .null))   // {"assignee":null}
/// ```
///
/// As a property of a type with a synthesised `Codable` it leaves its key out where it is absent, and a key that is not there
/// is read as `.absent`. An absent value elsewhere, in an array or alone, is an error. Do not make it optional.
public enum Patch<Value> {
    /// The member is not sent: the value stays.
    case absent
    /// The member is `null`: the value is taken away.
    case null
    /// The member has this value.
    case value(Value)

    /// The new value; `nil` for `.absent` and `.null`.
    public var value: Value? { if case .value(let value) = self { value } else { nil } }
}

extension Patch: Sendable where Value: Sendable {}
extension Patch: Equatable where Value: Equatable {}
extension Patch: Hashable where Value: Hashable {}

extension Patch: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .absent:
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "an absent Patch is left out of an object; nothing can be left out here"))
        case .null: try container.encodeNil()
        case .value(let value): try container.encode(value)
        }
    }
}

extension Patch: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
    }
}

// The synthesised Codable calls these in place of the generic methods, since they are more special.
extension KeyedEncodingContainer {
    /// Writes nothing for `.absent`.
    public mutating func encode<Value: Encodable>(_ patch: Patch<Value>, forKey key: Key) throws {
        switch patch {
        case .absent: return
        case .null: try encodeNil(forKey: key)
        case .value(let value): try encode(value, forKey: key)
        }
    }
}

extension KeyedDecodingContainer {
    /// `.absent` for a key that is not there.
    public func decode<Value: Decodable>(_ type: Patch<Value>.Type, forKey key: Key) throws -> Patch<Value> {
        if let value = try decodeIfPresent(Value.self, forKey: key) { return .value(value) }
        return contains(key) ? .null : .absent
    }
}
