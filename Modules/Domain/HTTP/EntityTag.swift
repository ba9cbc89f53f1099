/// An entity tag (RFC 9110, section 8.8.3): names one state of a resource.
public struct EntityTag: Sendable, Hashable, Codable {
    /// The text between the quotes.
    public let opaque: String
    public let isWeak: Bool

    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The strong tag of a row's version.
    public init(version: Int) { self.init(String(version)) }

    /// The version that `init(version:)` wrote; `nil` for a weak or foreign tag.
    public var version: Int? { isWeak ? nil : Int(opaque) }

    /// Equal and both strong (RFC 9110, section 8.8.3.2); `If-Match` needs this one.
    public func stronglyMatches(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Equal, weak or not; `If-None-Match` needs this one.
    public func weaklyMatches(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

extension EntityTag: ParameterValue {
    public static var parameterKind: String { "a quoted entity tag" }
    public var parameter: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }

    public init?(parameter text: String) {
        let isWeak = text.hasPrefix("W/")
        let quoted = isWeak ? text.dropFirst(2) : text[...]
        guard quoted.utf8.count >= 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else { return nil }
        let opaque = quoted.dropFirst().dropLast()
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }) else { return nil }
        self.init(String(opaque), isWeak: isWeak)
    }
}
