/// A request that does not fit its endpoint: the place, the key and the expected value.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        case missing
        /// Present, but not a value of the expected kind.
        case malformed
        /// A body that is no JSON, or not UTF-8.
        case unreadable
        case unsupportedMediaType
        /// An endpoint type with a stored property that is no part.
        case badDeclaration
    }

    public enum Place: String, Sendable, Hashable {
        case path, query, header, body
    }

    public let kind: Kind
    public let place: Place
    /// Name on the wire; for a body the path of keys, `tags.0`.
    public let key: String
    public let expected: String

    public init(_ kind: Kind, in place: Place, key: String, expected: String) {
        self.kind = kind
        self.place = place
        self.key = key
        self.expected = expected
    }

    public var description: String {
        switch kind {
        case .missing: "\(place.rawValue) '\(key)' is missing; send \(expected)."
        case .malformed: "\(place.rawValue) '\(key)' must be \(expected)."
        case .unreadable: "The \(place.rawValue) cannot be read: \(expected)."
        case .unsupportedMediaType: "Send the \(place.rawValue) as \(expected)."
        case .badDeclaration: "Property '\(key)' of the endpoint is no part: \(expected)."
        }
    }
}
