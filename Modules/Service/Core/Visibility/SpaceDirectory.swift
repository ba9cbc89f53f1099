public import StrataDomain

/// Who is in which space, and what the roles allow. The feature that has the spaces gives it to the backend.
public protocol SpaceDirectory: Sendable {
    /// The collection of the spaces themselves.
    var collection: String { get }
    /// A `SELECT` without order and with one column, `id`: the spaces in which `caller` may do `action` with rows of `collection`.
    func spaces(of caller: Principal, allowing action: RowAction, on collection: String) -> Statement
}
