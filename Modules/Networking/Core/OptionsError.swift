/// An invalid setting: a sentence with the value and the accepted range.
public struct OptionsError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
