/// A setting that cannot be used: a sentence with the value and what is accepted.
public struct OptionsError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
