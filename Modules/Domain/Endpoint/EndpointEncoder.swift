/// Encodes an endpoint as a request: each part writes itself.
enum EndpointEncoder {
    static func encode<E: RoutedEndpoint>(_ endpoint: E) throws(EndpointError) -> EndpointRequest {
        let sink = Sink()
        do {
            try endpoint.encode(to: PartsEncoder(sink: sink))
            try checkParts(of: endpoint, written: sink.names)
        } catch let error as EndpointError {
            throw error.naming(E.self)
        } catch {
            throw EndpointError(.badDeclaration, in: .body, key: "\(E.self)", expected: "cannot be encoded: \(error)")
        }
        guard let path = E.route.path(sink.request.pathParameters) else {
            let name =
                E.route.parameterNames.first { ["", ".", "..", nil].contains(sink.request.pathParameters[$0]) }
                ?? "path"
            if sink.request.pathParameters[name] == nil {
                throw EndpointError(
                    .missing, in: .path, key: name,
                    expected: "it as a property: '@Path var barId' is {bar_id} in a route")
            }
            throw EndpointError(.malformed, in: .path, key: name, expected: "non-empty and no dot segment")
        }
        return EndpointRequest(
            method: E.route.method, path: path, query: sink.request.query, headers: sink.request.headers,
            body: sink.request.body)
    }

    /// Refuses an endpoint whose `CodingKeys` or `encode(to:)` leave a part out: it would not be sent, without a word.
    static func checkParts<E: RoutedEndpoint>(of endpoint: E, written: [String]) throws(EndpointError) {
        let properties = Mirror(reflecting: endpoint).children
        // The usual case, without a look at the values.
        guard properties.count > written.count else { return }
        let parts = properties.filter { $0.value is any EndpointPart }
        guard parts.count > written.count else { return }
        // Includes parts that a key renames: which ones are missing is not known.
        let names = parts.compactMap { $0.label.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 } }
            .filter { !written.contains($0) }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        throw EndpointError(
            .badDeclaration, in: .body, key: "CodingKeys",
            expected:
                "name \(written.count) of \(parts.count) parts, so the others would not be sent; they are among \(list)"
        )
    }

    /// The request that the parts write, during one call of `encode`.
    fileprivate final class Sink {
        var request = EndpointBuilder()
        var names: [String] = []
    }
}

private struct PartsEncoder: Encoder {
    let sink: EndpointEncoder.Sink
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(PartsEncodingContainer<Key>(sink: sink))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer() }
}

/// Accepts parts only: a plain stored property of an endpoint is an error of its declaration.
private struct PartsEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: EndpointEncoder.Sink
    var codingPath: [any CodingKey] { [] }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        guard let part = value as? any EndpointPart else { throw notAPart(key) }
        sink.names.append(key.stringValue)
        try part.write(to: &sink.request, name: key.stringValue)
    }

    mutating func encodeNil(forKey key: Key) throws { throw notAPart(key) }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(PartsEncodingContainer<Nested>(sink: sink))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer() }
    mutating func superEncoder() -> any Encoder { PartsEncoder(sink: sink) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { PartsEncoder(sink: sink) }
}

func notAPart(_ key: any CodingKey) -> EndpointError { EndpointError(declaration: key) }

/// Refuses every value: an endpoint is a keyed set of parts.
private struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }
    private var refusal: EndpointError { EndpointError(declaration: nil) }

    mutating func encodeNil() throws { throw refusal }
    mutating func encode<T: Encodable>(_ value: T) throws { throw refusal }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(PartsEncodingContainer<Nested>(sink: .init()))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { PartsEncoder(sink: .init()) }
}
