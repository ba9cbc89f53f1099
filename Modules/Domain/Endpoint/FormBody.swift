import FoundationEssentials

/// A body that is sent as an HTML form, as OAuth demands. A server reads JSON for it, too.
///
/// Its stored properties are texts, numbers, `Bool`, dates, enumerations of these, and arrays for a repeated name; each may be
/// optional, and `nil` is left out. Names and dates follow the JSON form. For `ids[]=1&ids[]=2` write `CodingKeys`.
///
/// For a server of another, so in any other form than the default `.snakeCase`, a property may also be a struct, a dictionary or an
/// array of structs: `address[city]=Oslo`, `items[0][price]=5`, and `items[][price]=5` where the `CodingKeys` say `"items[]"`.
public protocol FormBody: Codable, Sendable {}

/// `application/x-www-form-urlencoded` bodies, read and written through their JSON shape.
enum FormCoding {
    static func encode(_ value: some Encodable, in form: JSONForm) throws -> Data {
        let document = try form.encode(value)
        guard let fields = try? JSONForm.asDeclared.read([String: FormField].self, from: document) else {
            throw EndpointError(.malformed, in: .body, key: "body", expected: "a struct, to be sent as a form")
        }
        var items = QueryItems()
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            guard field.add(to: &items, as: name, nests: !form.isWire) else {
                throw EndpointError(.malformed, in: .body, key: name, expected: expectation(in: form))
            }
        }
        return Data(items.encoded.utf8)
    }

    private static func expectation(in form: JSONForm) -> String {
        form.isWire
            ? "text, a number, true or false, a date, or an array of these: a form has no other values. Names in brackets are for "
                + "servers of others; state their JSON form, such as .snakeCase(dates: .rfc3339)"
            : "text, a number, true or false, a date, a struct of these, or an array of one of them: a form has no other values"
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: Data) throws(EndpointError) -> Value {
        guard let text = String(validating: bytes, as: UTF8.self), let items = QueryItems(parsing: text) else {
            throw EndpointError(.unreadable, in: .body, key: "body", expected: "it is no UTF-8 form")
        }
        var fields: [String: ReceivedField] = [:]
        for item in items.items { fields[item.name, default: ReceivedField()].texts.append(item.value) }
        // A form does not say which text is a number. Each field that the type does not read as text is converted once, so the
        // type's own properties bound the attempts.
        while true {
            guard let json = try? WireJSON.encode(fields.mapValues(\.value)) else {
                throw EndpointError(.unreadable, in: .body, key: "body", expected: "it is no form")
            }
            do throws(EndpointError) {
                let value = try BodyReader.json(type, json)
                // RFC 6749, section 3.2: parameters must not be included more than once.
                if let name = fields.filter({ $0.value.isRepeated }).keys.min() {
                    throw EndpointError(.malformed, in: .body, key: name, expected: "sent once")
                }
                return value
            } catch {
                guard error.kind == .malformed, let name = Self.name(of: error.key, in: fields),
                    fields[name]?.convert(to: error.expected) == true
                else { throw error }
            }
        }
    }

    /// The field of a path of keys: `ids` for `ids.3`.
    private static func name(of path: String, in fields: [String: ReceivedField]) -> String? {
        if fields[path] != nil { return path }
        return path.lastIndex(of: ".").map { String(path[..<$0]) }.flatMap { fields[$0] == nil ? nil : $0 }
    }
}

/// The texts of one name in a received form.
private struct ReceivedField {
    var texts: [String] = []
    private var isList = false
    private var kind = Kind.text

    private enum Kind {
        case text, integer, number, flag
    }

    var isRepeated: Bool { texts.count > 1 && !isList }

    var value: FormValue { isList ? .list(texts.map(element)) : element(texts.first ?? "") }

    /// What cannot be converted stays text, which the type refuses with its reason.
    private func element(_ text: String) -> FormValue {
        switch kind {
        case .text: .text(text)
        case .integer: Int(parameter: text).map { .integer($0) } ?? .text(text)
        case .number: Double(parameter: text).map { .number(text, $0) } ?? .text(text)
        case .flag: Bool(parameter: text).map { .flag($0) } ?? .text(text)
        }
    }

    /// - Parameter expected: As in `WireJSON.Failure`.
    /// - Returns: Whether that changes the value; a second conversion to the same kind does not.
    mutating func convert(to expected: String) -> Bool {
        let before = (isList, kind)
        switch expected {
        case "an array": isList = true
        case "an integer" where kind == .text: kind = .integer
        case "a number" where kind == .text: kind = .number
        case "true or false" where kind == .text: kind = .flag
        default: return false
        }
        return before != (isList, kind)
    }
}

/// A member of the JSON shape of a received form.
private enum FormValue: Encodable {
    case text(String)
    case integer(Int)
    /// The text too, since a Double would round a Decimal.
    case number(String, Double)
    case flag(Bool)
    indirect case list([FormValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let text, let value):
            if let decimal = Decimal(string: text), !decimal.isNaN {
                try container.encode(decimal)
            } else {
                try container.encode(value)
            }
        case .flag(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        }
    }
}

/// A member of a form that is to be written.
private enum FormField: Decodable {
    case text(String)
    indirect case list([FormField])
    indirect case object([String: FormField])
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let scalar = try? container.decode(FormScalar.self) {
            self = .text(scalar.text)
        } else if let list = try? container.decode([FormField].self) {
            self = .list(list)
        } else if let fields = try? container.decode([String: FormField].self) {
            self = .object(fields)
        } else {
            self = .null
        }
    }

    /// - Parameter nests: Whether objects are written, with names in brackets.
    /// - Returns: `false` for a value that a form cannot hold.
    func add(to items: inout QueryItems, as name: String, nests: Bool) -> Bool {
        switch self {
        case .text(let text):
            items.add(name, text)
            return true
        case .list(let fields):
            return fields.enumerated().allSatisfy { index, field in
                switch field {
                case .text(let text):
                    items.add(name, text)
                    return true
                case .object:
                    let element = name.hasSuffix("[]") ? name : "\(name)[\(index)]"
                    return field.add(to: &items, as: element, nests: nests)
                case .list, .null: return false
                }
            }
        case .object(let fields) where nests:
            return fields.sorted { $0.key < $1.key }.allSatisfy { key, field in
                field.add(to: &items, as: Self.name(key, in: name), nests: nests)
            }
        case .object, .null: return false
        }
    }

    /// `name[key]`; the brackets of a list stay last: `card[ids][]`.
    private static func name(_ key: String, in name: String) -> String {
        key.hasSuffix("[]") ? "\(name)[\(key.dropLast(2))][]" : "\(name)[\(key)]"
    }
}

private struct FormScalar: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            text = value
        } else if let value = try? container.decode(Bool.self) {
            text = value.parameter
        } else if let value = try? container.decode(Decimal.self), !value.isNaN {
            // All digits, where a Double would round. Before Int, which Foundation reads from a long fraction too.
            text = value.description
        } else {
            text = try container.decode(Double.self).parameter
        }
    }
}
