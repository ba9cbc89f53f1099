/// A request that does not fit its endpoint: the place, the key and the expected value.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// A required part is not there.
        case missing
        /// Present, but not a value of the expected kind.
        case malformed
        /// A body that is no JSON, or not UTF-8.
        case unreadable
        /// The body has a type that the endpoint does not read; `Content-Type` has to name another one.
        case unsupportedMediaType
        /// An endpoint type with a stored property that is no part, or with a part that its `CodingKeys` leave out; the key is
        /// `ListItems.limit` or `ListItems.CodingKeys`.
        case badDeclaration
    }

    /// A part of a request.
    public enum Place: String, Sendable, Hashable {
        /// A name of the path, an item of the query, a field of the header, or the body.
        case path, query, header, body
    }

    /// What is wrong.
    public let kind: Kind
    /// The part of the request that is wrong.
    public let place: Place
    /// Name on the wire; for a body the path of keys, `tags.0`.
    public let key: String
    /// What the part has to be, for people.
    public let expected: String

    /// The error of one part; `key` is its name.
    public init(_ kind: Kind, in place: Place, key: String, expected: String) {
        self.kind = kind
        self.place = place
        self.key = key
        self.expected = expected
    }

    /// An endpoint whose declaration is wrong.
    ///
    /// - Parameter property: Of the endpoint; `nil` for the endpoint as a whole.
    init(declaration property: (any CodingKey)? = nil) {
        let parts = "@Path, @Query, @Header or @Body"
        self.init(
            .badDeclaration, in: .body, key: property?.stringValue ?? "",
            expected: property == nil ? "must be a struct whose stored properties are \(parts)" : "must be \(parts)")
    }

    /// The error with the name of the type, if its declaration is wrong.
    func naming<E>(_ type: E.Type) -> EndpointError {
        guard kind == .badDeclaration else { return self }
        return EndpointError(kind, in: place, key: key.isEmpty ? "\(E.self)" : "\(E.self).\(key)", expected: expected)
    }

    /// A body that its encoder refused. The error names the key and the reason.
    init(encoding error: any Error) {
        switch error {
        case let error as EndpointError: self = error
        case EncodingError.invalidValue(_, let context):
            let keys = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            let reason = context.debugDescription
            self.init(
                .malformed, in: .body, key: keys.isEmpty ? "body" : keys.joined(separator: "."),
                expected: "encodable: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
        default:
            self.init(.malformed, in: .body, key: "body", expected: "encodable; it threw \(type(of: error))")
        }
    }

    public var description: String {
        switch kind {
        case .missing: "\(place.rawValue) '\(key)' is missing; send \(expected)."
        case .malformed: "\(place.rawValue) '\(key)' must be \(expected)."
        case .unreadable: "The \(place.rawValue) cannot be read: \(expected)."
        case .unsupportedMediaType: "Send the \(place.rawValue) as \(expected)."
        case .badDeclaration: "The endpoint is declared wrongly: '\(key)' \(expected)."
        }
    }
}
