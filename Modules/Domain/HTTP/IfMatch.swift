/// The precondition of a write, `If-Match` (RFC 9110, section 13.1.1): the write goes on only from a state it names.
public enum IfMatch: Sendable, Hashable {
    /// `*`: from any state there is.
    case any
    /// From a state that has one of these tags; a weak tag names none.
    case tags([EntityTag])

    public init(_ tag: EntityTag) { self = .tags([tag]) }

    /// Whether a write may go on from the state `current`.
    public func allows(_ current: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.stronglyMatches(current) }
        }
    }
}

extension IfMatch: ParameterValue, MultipleParameter {
    public static var parameterKind: String { "'*' or quoted entity tags, separated by commas" }

    public var parameter: String {
        switch self {
        case .any: "*"
        case .tags(let tags): tags.map(\.parameter).joined(separator: ", ")
        }
    }

    public init?(parameter text: String) {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = text.drop(while: isSpace)
        if rest.first == "*" {
            guard rest.dropFirst().allSatisfy(isSpace) else { return nil }
            self = .any
            return
        }
        var tags: [EntityTag] = []
        // A comma may stand in a tag, and beside another comma (section 5.6.1.2).
        while true {
            rest = rest.drop { isSpace($0) || $0 == "," }
            guard !rest.isEmpty else { break }
            let start = rest.hasPrefix("W/") ? rest.dropFirst(2) : rest
            guard start.first == "\"", let end = start.dropFirst().firstIndex(of: "\""),
                let tag = EntityTag(parameter: String(rest[...end]))
            else { return nil }
            tags.append(tag)
            rest = rest[rest.index(after: end)...].drop(while: isSpace)
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Several fields of the name are one list (section 5.3).
    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> IfMatch {
        guard !texts.isEmpty else { throw EndpointError(.missing, in: place, key: key, expected: parameterKind) }
        guard let value = IfMatch(parameter: texts.joined(separator: ", ")) else {
            throw EndpointError(.malformed, in: place, key: key, expected: parameterKind)
        }
        return value
    }
}

extension IfMatch: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(parameter: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.parameterKind)
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(parameter)
    }
}
