public import FoundationEssentials

/// The one JSON configuration of this project: snake_case keys, RFC 3339 times, keys sorted, slashes left alone.
///
/// Keys of string dictionaries pass unchanged; only property names are converted. Write acronyms in properties as
/// words, `requestId`, since that is what `request_id` is read as.
public enum WireJSON {
    public static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(RFC3339.string(from: date))
        }
        return try encoder.encode(value)
    }

    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws(Failure) -> Value {
        do { return try read(type, from: bytes) } catch {
            throw error.kind == .notJSON ? NumberFault.find(type, in: bytes) ?? error : error
        }
    }

    /// One attempt, without a search for the key that Foundation does not name.
    static func read<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws(Failure) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = RFC3339.date(from: try container.decode(String.self)) else {
                throw DecodingError.typeMismatch(
                    Date.self, .init(codingPath: decoder.codingPath, debugDescription: "no RFC 3339 time"))
            }
            return date
        }
        do { return try decoder.decode(type, from: bytes) } catch { throw Failure(error, decoding: type) }
    }

    /// A document that cannot be read: the type, the key, and the expected value. It holds no value of the document.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public enum Kind: Sendable, Hashable {
            case notJSON, missing, mismatch
        }

        public let kind: Kind
        /// Name of the requested type.
        public let type: String
        /// Keys from the root as on the wire, joined by dots; `body` for the root itself.
        public let path: String
        public let expected: String

        public var description: String {
            switch kind {
            case .notJSON: "\(type): the document is not valid JSON."
            case .missing: "\(type): key '\(path)' is missing; expected \(expected)."
            case .mismatch: "\(type): '\(path)' must be \(expected)."
            }
        }

        private init(kind: Kind, type: String, path: String, expected: String) {
            (self.kind, self.type, self.path, self.expected) = (kind, type, path, expected)
        }

        /// The same place in another type.
        func expecting(_ expected: String, in type: Any.Type) -> Failure {
            Failure(kind: kind, type: String(describing: type), path: path, expected: expected)
        }

        init(_ error: any Error, decoding type: Any.Type) {
            self.type = String(describing: type)
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                (kind, path, expected) = (.missing, Self.path(context.codingPath + [key]), "a value")
            case DecodingError.valueNotFound(let wanted, let context):
                (kind, path, expected) = (.mismatch, Self.path(context.codingPath), "\(Self.name(wanted)), not null")
            case DecodingError.typeMismatch(let wanted, let context):
                (kind, path, expected) = (.mismatch, Self.path(context.codingPath), Self.name(wanted))
            case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
                (kind, path, expected) = (.mismatch, Self.path(context.codingPath), "a valid value")
            default:
                (kind, path, expected) = (.notJSON, "body", "JSON")
            }
        }

        private static func path(_ keys: [any CodingKey]) -> String {
            let names = keys.map { key in key.intValue.map(String.init) ?? WireNames.snakeCase(key.stringValue) }
            return names.isEmpty ? "body" : names.joined(separator: ".")
        }

        private static func name(_ type: Any.Type) -> String {
            switch type {
            case is String.Type: "a string"
            case is any BinaryInteger.Type: "an integer"
            case is any BinaryFloatingPoint.Type: "a number"
            case is Bool.Type: "true or false"
            case is Date.Type: "an RFC 3339 time"
            case is [Any].Type: "an array"
            default: String(describing: type).hasPrefix("Array<") ? "an array" : "an object"
            }
        }
    }
}
