import FoundationEssentials

extension EntityTag: ParameterValue, MultipleParameter {
    public static var parameterKind: String { "a quoted entity tag" }
    public var parameter: String { text }
    public init?(parameter text: String) { self.init(parsing: text) }
}

extension IfMatch: ParameterValue, MultipleParameter {
    public static var parameterKind: String { "'*' or quoted entity tags, separated by commas" }
    public var parameter: String { text }
    public init?(parameter text: String) { self.init(parsing: [text]) }

    /// Several fields of the name are one list (RFC 9110, section 5.3).
    public static func read(
        _ texts: [String], place: EndpointError.Place, key: String
    ) throws(EndpointError) -> IfMatch {
        guard !texts.isEmpty else { throw EndpointError(.missing, in: place, key: key, expected: parameterKind) }
        guard let value = IfMatch(parsing: texts) else {
            throw EndpointError(.malformed, in: place, key: key, expected: parameterKind)
        }
        return value
    }
}

extension EntityTag: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .text(pattern: entityTagPattern) }
    public static func placeholder() -> EntityTag { EntityTag(version: 1) }
}

extension IfMatch: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema {
        .text(pattern: #"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#)
    }
    public static func placeholder() -> IfMatch { IfMatch(EntityTag(version: 1)) }
}

private let entityTagPattern = #"^(W/)?"[!#-~]*"$"#

extension ContentDigest: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema {
        .text(pattern: "^[a-z0-9-]+=:[A-Za-z0-9+/]+=*:$")
    }
    public static func placeholder() throws -> ContentDigest {
        try WireJSON.decode(ContentDigest.self, from: Data(#""sha-256=:\#(String(repeating: "A", count: 43))=:""#.utf8))
    }
}
