import FoundationEssentials

/// Reads a JSON body; its errors name the key.
enum BodyReader {
    static func json<Value: Decodable>(_ type: Value.Type, _ bytes: Data) throws(EndpointError) -> Value {
        do {
            return try WireJSON.decode(type, from: bytes)
        } catch {
            switch error.kind {
            case .notJSON:
                throw EndpointError(.unreadable, in: .body, key: "body", expected: "it is not valid JSON in UTF-8")
            case .missing:
                throw EndpointError(.missing, in: .body, key: error.path, expected: error.expected)
            case .mismatch:
                throw EndpointError(.malformed, in: .body, key: error.path, expected: error.expected)
            }
        }
    }
}
