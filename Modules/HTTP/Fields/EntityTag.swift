/// An entity tag names one state of a resource (RFC 9110, section 8.8.3).
public struct EntityTag: Sendable, Hashable, Codable {
    /// The text between the quotes.
    public let opaque: String
    /// Whether it stands for the meaning of a representation only, and not for its bytes.
    public let isWeak: Bool

    /// A tag with `opaque` between its quotes.
    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The strong tag of a row's version.
    public init(version: Int) { self.init(String(version)) }

    /// The version that `init(version:)` wrote; `nil` for a weak tag and for any other text.
    public var version: Int? { isWeak ? nil : Int(opaque) }

    /// Equal and both strong (RFC 9110, section 8.8.3.2), as `If-Match` compares.
    public func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Equal, weak or not, as `If-None-Match` compares.
    public func weaklyMatches(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

extension EntityTag {
    /// As in `ETag`: `"1"` or `W/"1"`.
    public var text: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }

    /// Reads one tag to the letter of RFC 9110, section 8.8.3.
    ///
    /// - Returns: `nil` for any other text, white space at its ends included.
    public init?(parsing text: some StringProtocol) {
        let isWeak = text.hasPrefix("W/")
        let quoted = isWeak ? text.dropFirst(2) : text[...]
        guard quoted.utf8.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else { return nil }
        let opaque = quoted.dropFirst().dropLast()
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }) else { return nil }
        self.init(String(opaque), isWeak: isWeak)
    }

    /// Reads one tag of a server that is not Strata's: `w/` is weak too, and a tag without quotes counts as if it had
    /// them.
    ///
    /// - Returns: `nil` for white space only and for `W/` alone.
    package init?(lenient text: some StringProtocol) {
        let trimmed = text.trimmed
        let isWeak = trimmed.hasPrefix("W/") || trimmed.hasPrefix("w/")
        var rest = isWeak ? trimmed.dropFirst(2) : trimmed[...]
        guard !rest.isEmpty else { return nil }
        if rest.utf8.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        self.init(String(rest), isWeak: isWeak)
    }
}
