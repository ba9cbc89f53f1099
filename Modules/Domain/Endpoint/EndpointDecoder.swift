/// Decodes a received request as an endpoint: each part type reads itself.
enum EndpointDecoder {
    static func decode<E: RoutedEndpoint>(_ type: E.Type, from parts: EndpointParts) throws(EndpointError) -> E {
        do {
            return try E(from: PartsDecoder(parts: parts))
        } catch let error as EndpointError {
            throw error.naming(E.self)
        } catch {
            throw EndpointError(.badDeclaration, in: .body, key: "\(E.self)", expected: "cannot be decoded: \(error)")
        }
    }
}

private struct PartsDecoder: Decoder {
    let parts: EndpointParts
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(PartsDecodingContainer<Key>(parts: parts))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }
    private var refusal: EndpointError { EndpointError(declaration: nil) }
}

private struct PartsDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let parts: EndpointParts
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let part = type as? any EndpointPart.Type else { throw notAPart(key) }
        // The cast fails only if `part` reads another type than itself; the error makes that visible.
        guard let value = try part.read(from: parts, name: key.stringValue) as? T else { throw notAPart(key) }
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw notAPart(key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notAPart(key) }
    func superDecoder() throws -> any Decoder { PartsDecoder(parts: parts) }
    func superDecoder(forKey key: Key) throws -> any Decoder { PartsDecoder(parts: parts) }
}
