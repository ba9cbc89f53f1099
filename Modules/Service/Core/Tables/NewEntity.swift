public import StrataDomain

/// An entity that is ready to be stored. It is made before the transaction of its create, so that other writes do not wait for
/// the checks and conversions of its fields.
public struct NewEntity<Content: Entity>: Sendable {
    public let content: Content
    /// `nil` for an entity without authors.
    let author: String?
    let row: NewRow

    public var id: Identifier<Content> { Identifier(row.id) }
}
