/// An invalid setting: a sentence with the value and the accepted range.
public struct OptionsError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// An error with a sentence that names the value and what to use.
    public init(_ description: String) { self.description = description }
}
