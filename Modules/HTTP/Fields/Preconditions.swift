/// The precondition of a write, `If-Match` (RFC 9110, section 13.1.1): the write goes on only from a state it names.
public enum IfMatch: Sendable, Hashable {
    /// `*`: any existing state.
    case any
    /// A state that has one of these tags; a weak tag names none.
    case tags([EntityTag])

    /// The field with this tag only.
    public init(_ tag: EntityTag) { self = .tags([tag]) }

    /// Reads `*` or tags to the letter.
    ///
    /// - Parameter lines: The values of the fields; together they are one list (section 5.3).
    /// - Returns: `nil` for an empty list and for any other text.
    public init?(parsing lines: [String]) {
        let elements = FieldList.elements(lines, escapes: false)
        let tags = elements.compactMap { EntityTag(parsing: $0) }
        if elements == ["*"] {
            self = .any
        } else if !tags.isEmpty, tags.count == elements.count {
            self = .tags(tags)
        } else {
            return nil
        }
    }

    /// As in the field: `*`, or tags with commas between them.
    public var text: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.text).joined(separator: ", ")
        }
    }

    /// Whether a write may go on from the state `current`.
    public func allows(_ current: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.stronglyMatches(current) }
        }
    }
}

extension IfMatch: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(parsing: [try container.decode(String.self)]) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "neither '*' nor quoted entity tags")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The precondition of a read, `If-None-Match` (RFC 9110, section 13.1.2): the client has the states it names.
///
/// It is read as leniently as possible: a tag that is misread costs a transfer and nothing else.
package enum IfNoneMatch {
    /// Whether the fields name the state `current`; `*` names every state, also one without a tag.
    ///
    /// - Parameter lines: The values of the fields.
    package static func names(_ current: EntityTag?, _ lines: [String]) -> Bool {
        FieldList.elements(lines, escapes: false).contains { element in
            if element == "*" { return true }
            guard let current, let tag = EntityTag(lenient: element) else { return false }
            return tag.weaklyMatches(current)
        }
    }
}
