/// Text that must not be shown: printing, dumping or mirroring it gives `<secret>`. It is deliberately not `Codable`.
public struct Secret: Sendable, Hashable {
    private let text: String

    /// A secret with this text, which its description does not show.
    public init(_ text: String) { self.text = text }

    /// The text itself, for the one place that sends or stores it.
    public func reveal() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
