/// A validator of one representation (RFC 9110, section 8.8.3); one without quotes is taken as if it had them.
struct EntityTag: Sendable, Hashable {
    let isWeak: Bool
    /// Between the quotes.
    let opaque: String

    init?(_ text: String) {
        var rest = Substring(text.trimmedOWS)
        let isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        guard !rest.isEmpty else { return nil }
        if rest.utf8.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        self.isWeak = isWeak
        opaque = String(rest)
    }

    init?(_ fields: FieldList) {
        guard let text = fields.value("ETag") else { return nil }
        self.init(text)
    }

    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The tags of `If-None-Match`; a comma inside quotes belongs to the tag.
    static func list(_ lines: [String]) -> [EntityTag] {
        lines.flatMap { line in
            var parts: [String] = []
            var part = ""
            var isQuoted = false
            for character in line {
                if character == "\"" { isQuoted.toggle() }
                if character == ",", !isQuoted {
                    parts.append(part)
                    part = ""
                } else {
                    part.append(character)
                }
            }
            return (parts + [part]).compactMap(EntityTag.init)
        }
    }
}
