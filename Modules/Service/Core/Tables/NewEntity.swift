import StrataDomain

/// An entity that is ready to be stored. It is made before the transaction of its create, so that other writes do not wait for
/// the checks and conversions of its fields.
struct NewEntity<Content: Entity>: Sendable {
    let content: Content
    /// `nil` for an entity without authors.
    let author: String?
    /// The names of the fields that were sent, where the sender chose the id; an entity may have it. `nil`: the id is new.
    let given: Set<String>?
    let row: NewRow
}
