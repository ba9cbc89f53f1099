import FoundationEssentials

/// A body that is sent as an HTML form, as OAuth demands. A server reads JSON for it, too.
///
/// All stored properties are `String` or `String?`.
public protocol FormBody: Codable, Sendable {}

/// `application/x-www-form-urlencoded` bodies, read and written through their JSON shape.
enum FormCoding {
    static func encode(_ value: some Encodable) throws -> Data {
        let fields = try WireJSON.decode([String: String].self, from: WireJSON.encode(value))
        var items = QueryItems()
        for (name, text) in fields.sorted(by: { $0.key < $1.key }) { items.add(name, text) }
        return Data(items.encoded.utf8)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: Data) throws(EndpointError) -> Value {
        guard let text = String(validating: bytes, as: UTF8.self), let items = QueryItems(parsing: text) else {
            throw EndpointError(.unreadable, in: .body, key: "body", expected: "it is no UTF-8 form")
        }
        var fields: [String: String] = [:]
        for item in items.items {
            // RFC 6749, section 3.2: parameters must not be included more than once.
            guard fields.updateValue(item.value, forKey: item.name) == nil else {
                throw EndpointError(.malformed, in: .body, key: item.name, expected: "sent once")
            }
        }
        guard let json = try? WireJSON.encode(fields) else {
            throw EndpointError(.unreadable, in: .body, key: "body", expected: "it is no form")
        }
        return try BodyReader.json(type, json)
    }
}
