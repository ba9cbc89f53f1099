/// Entities that refer to each other, or to their own kind. Their rows could be neither sent nor copied in an order that keeps the
/// references.
public struct ReferenceCircle: Error, Sendable, Hashable, CustomStringConvertible {
    /// Each with the one that it refers to behind it; the last is the first.
    public let collections: [String]

    init(collections: [String]) { self.collections = collections }

    public var description: String {
        "The references of '\(collections.first ?? "")' lead back to it (\(collections.joined(separator: " > "))); state one of the "
            + "fields without 'references', as an id that the server does not check."
    }
}
