public import FoundationEssentials

/// The JSON of Strata's own servers, files and tables: snake_case keys, RFC 3339 times, keys sorted, slashes left alone.
///
/// It is strict. `JSONForm` has the forms of other servers.
///
/// Keys of string dictionaries pass unchanged; only property names are converted. Write acronyms in properties as
/// words, `requestId`, since that is what `request_id` is read as.
public enum WireJSON {
    /// The value as JSON in our form: snake case and RFC 3339.
    public static func encode(_ value: some Encodable) throws -> Data { try encoder().encode(value) }

    /// The value of JSON in our form; the error names type and path.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws(Failure) -> Value {
        try JSONForm.snakeCase.decode(type, from: bytes)
    }

    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(RFC3339.string(from: date))
        }
        return encoder
    }

    static func decoder() -> JSONDecoder {
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
        return decoder
    }
}
