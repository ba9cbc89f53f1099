import StrataDomain

/// A JSON object as a dictionary literal. Keys are written as they are, in snake_case; a member that is `nil` is left out.
///
/// Write `JSONValue.null` for a member that is null.
public struct JSONDocument: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    /// A member of an object; `nil` is `null`.
    public typealias Member = (any Encodable & Sendable)?

    private var members: [String: any Encodable & Sendable]

    public init(dictionaryLiteral members: (String, Member)...) {
        self.members = Dictionary(members.compactMap { name, value in value.map { (name, $0) } }) { $1 }
    }

    /// These members and those of `other`, which win.
    func adding(_ other: JSONDocument) -> JSONDocument {
        var sum = self
        sum.members.merge(other.members) { $1 }
        return sum
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: WireName.self)
        for (name, value) in members { try container.encode(value, forKey: WireName(name)) }
    }
}

/// `value` as one line of JSON, safe to print on a terminal.
func safeJSON(_ value: some Encodable) throws -> String {
    SafeText.escapedJSON(String(decoding: try WireJSON.encode(value), as: UTF8.self))
}
