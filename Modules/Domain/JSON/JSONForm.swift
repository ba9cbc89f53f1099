public import FoundationEssentials

/// How a server spells its JSON: keys and dates, or an encoder and a decoder. A client states one for all its calls, and an
/// endpoint that differs states its own. Request bodies, forms, responses and the names of query items follow it.
///
/// ```swift
/// let options = try ClientOptions(json: .asDeclared(dates: .secondsSince1970))
/// ```
///
/// `.snakeCase` is the form of Strata's own servers and strict: a time that is not RFC 3339 is an error. Every other form is for
/// servers of others and reads the common deviations too. A server of this project reads and writes `.snakeCase` only.
public struct JSONForm: Sendable {
    /// As `WireJSON`: `page_size` is `pageSize`, times are RFC 3339 and nothing else. The default of a client.
    ///
    /// An explicit `CodingKeys` value must have the camel-case form, `"orderId"` for `order_id`. `.asDeclared` takes it as it is.
    public static let snakeCase = JSONForm(keys: .snakeCase, dates: .rfc3339, coders: .wire)
    /// Keys exactly as the property names or the `CodingKeys` say; dates as `Dates.rfc3339`.
    public static let asDeclared = JSONForm()
    /// That of the client which sends the endpoint.
    public static let ofClient = JSONForm(keys: .snakeCase, dates: .rfc3339, coders: .ofClient)

    /// Keys exactly as the property names or the `CodingKeys` say.
    public static func asDeclared(dates: Dates) -> JSONForm { JSONForm(dates: dates) }

    /// Keys as in `snakeCase`, other dates. `.snakeCase(dates: .rfc3339)` reads the common deviations of times too.
    public static func snakeCase(dates: Dates) -> JSONForm { JSONForm(keys: .snakeCase, dates: dates) }

    let keys: Keys
    let dates: Dates
    private let coders: Coders

    private enum Coders: Sendable {
        case wire
        case ofClient
        case foreign
        case own(encoder: @Sendable () -> JSONEncoder, decoder: @Sendable () -> JSONDecoder)
    }

    /// A form; keys as Swift declares them and times as RFC 3339 writes them, unless others are given.
    public init(keys: Keys = .asDeclared, dates: Dates = .rfc3339) {
        self.init(keys: keys, dates: dates, coders: .foreign)
    }

    /// - Parameters:
    ///   - keys: How the coders spell keys, for query items and the texts of errors. The coders themselves are not changed.
    ///   - encoder: Called once for each value.
    ///   - decoder: Called once for each document.
    public init(
        keys: Keys = .asDeclared, encoder: @escaping @Sendable () -> JSONEncoder,
        decoder: @escaping @Sendable () -> JSONDecoder
    ) {
        self.init(keys: keys, dates: .rfc3339, coders: .own(encoder: encoder, decoder: decoder))
    }

    private init(keys: Keys, dates: Dates, coders: Coders) {
        (self.keys, self.dates, self.coders) = (keys, dates, coders)
    }

    /// The document of `value`. Keys are sorted, so that equal values have equal bytes; an own encoder decides for itself.
    ///
    /// - Throws: An `EncodingError`, for example for a number that is not finite.
    public func encode(_ value: some Encodable) throws -> Data {
        let encoder: JSONEncoder =
            switch coders {
            case .wire, .ofClient: WireJSON.encoder()
            case .foreign: foreignEncoder()
            case .own(let encoder, _): encoder()
            }
        return try encoder.encode(value)
    }

    /// The value in `bytes`.
    ///
    /// - Throws: A failure that names the key as it stands in the document.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Data
    ) throws(WireJSON.Failure) -> Value {
        do { return try read(type, from: bytes) } catch {
            throw error.kind == .notJSON ? NumberFault.find(type, in: bytes, as: self) ?? error : error
        }
    }

    /// One attempt, without a search for the key that Foundation does not name.
    func read<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws(WireJSON.Failure) -> Value {
        let decoder: JSONDecoder =
            switch coders {
            case .wire, .ofClient: WireJSON.decoder()
            case .foreign: foreignDecoder()
            case .own(_, let decoder): decoder()
            }
        do { return try decoder.decode(type, from: bytes) } catch {
            throw WireJSON.Failure(error, decoding: type, from: bytes, in: self)
        }
    }

    private func foreignEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch keys.kind {
        case .asDeclared: break
        case .snakeCase: encoder.keyEncodingStrategy = .convertToSnakeCase
        case .converted(let encode, _):
            encoder.keyEncodingStrategy = .custom { path in WireName(encode(path.last?.stringValue ?? "")) }
        }
        encoder.dateEncodingStrategy = .custom { [dates] date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(try dates.value(of: date))
        }
        return encoder
    }

    private func foreignDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        switch keys.kind {
        case .asDeclared: break
        case .snakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
        case .converted(_, let decode):
            decoder.keyDecodingStrategy = .custom { path in WireName(decode(path.last?.stringValue ?? "")) }
        }
        decoder.dateDecodingStrategy = .custom { [dates] decoder in
            guard let date = dates.date(in: try decoder.singleValueContainer()) else {
                throw DecodingError.typeMismatch(
                    Date.self, .init(codingPath: decoder.codingPath, debugDescription: "no such time"))
            }
            return date
        }
        return decoder
    }
}

extension JSONForm {
    /// `client` where this is `.ofClient`.
    package func or(_ client: JSONForm) -> JSONForm { if case .ofClient = coders { client } else { self } }

    /// Whether this is the form of Strata's own servers.
    package var isWire: Bool {
        switch coders {
        case .wire, .ofClient: true
        case .foreign, .own: false
        }
    }
}
