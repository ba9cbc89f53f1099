/// Decodes a received request as an endpoint: each part type reads itself.
enum EndpointDecoder {
    static func decode<E: RoutedEndpoint>(_ type: E.Type, from parts: EndpointParts) throws(EndpointError) -> E {
        do {
            return try E(from: ReceivedParts(parts: parts))
        } catch let error as EndpointError {
            throw error.naming(E.self)
        } catch {
            throw EndpointError(.badDeclaration, in: .body, key: "\(E.self)", expected: "cannot be decoded: \(error)")
        }
    }
}

private struct ReceivedParts: PartsDecoder {
    let parts: EndpointParts

    func part(_ type: any EndpointPart.Type, named name: String) throws -> any EndpointPart {
        try type.read(from: parts, name: name)
    }
}
