/// A value of an enumeration that its server may extend: a known case, or a raw value that this program does not know yet.
///
/// ```swift
/// enum Status: String { case paid, open }
/// struct Invoice: Decodable { var status: Open<Status> }   // "void" is .unknown("void")
/// ```
///
/// It is written as it was read. A raw value of another type, such as a number in place of text, is an error.
public enum Open<Known: RawRepresentable & Sendable>: RawRepresentable {
    /// A value that this version knows.
    case known(Known)
    /// A value that it does not know, as it was received.
    case unknown(Known.RawValue)

    public init(rawValue: Known.RawValue) { self = Known(rawValue: rawValue).map { .known($0) } ?? .unknown(rawValue) }

    public var rawValue: Known.RawValue {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let value): value
        }
    }

    /// The known case; `nil` for a value that this program does not know.
    public var known: Known? { if case .known(let value) = self { value } else { nil } }
}

extension Open: Sendable where Known.RawValue: Sendable {}
// By raw value, as for every raw-representable type.
extension Open: Equatable where Known.RawValue: Equatable {}
extension Open: Hashable where Known.RawValue: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension Open: Encodable where Known.RawValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension Open: Decodable where Known.RawValue: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Known.RawValue.self))
    }
}
