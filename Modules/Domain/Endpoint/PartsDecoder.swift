/// Decodes an endpoint as a keyed set of parts: each part type makes itself, and any other property is an error of the declaration.
protocol PartsDecoder: Decoder {
    /// - Returns: A value of `type`.
    func part(_ type: any EndpointPart.Type, named name: String) throws -> any EndpointPart
}

extension PartsDecoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(PartsContainer<Self, Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw EndpointError(declaration: nil) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw EndpointError(declaration: nil) }
}

private struct PartsContainer<Source: PartsDecoder, Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: Source
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let part = type as? any EndpointPart.Type else { throw notAPart(key) }
        // The cast fails only if `part` makes another type than itself; the error makes that visible.
        guard let value = try decoder.part(part, named: key.stringValue) as? T else { throw notAPart(key) }
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw notAPart(key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notAPart(key) }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}
