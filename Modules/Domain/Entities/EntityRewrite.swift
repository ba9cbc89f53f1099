/// A change of the data of an entity: the server applies it once to each row, in batches, beside its requests.
///
/// The progress is in the database, so another replica or the next start goes on where one ended. Each changed row gets a new
/// version, so clients that synchronise get it.
///
/// ```swift
/// static let rewrites: [EntityRewrite<Note>] = [.init("short titles") { $0.title = String($0.title.prefix(40)) }]
/// ```
public struct EntityRewrite<Content: Entity>: Sendable {
    /// Known by the database: never changed.
    public let name: String
    let change: @Sendable (inout Content) throws -> Void

    /// - Parameters:
    ///   - name: Unique in its entity.
    ///   - change: Changes nothing of a row that it has changed before: a row may be passed again. What it throws leaves the row as it
    ///     is, and is told.
    public init(_ name: String, _ change: @escaping @Sendable (inout Content) throws -> Void) {
        (self.name, self.change) = (name, change)
    }

    /// - Returns: `nil` for a row that stays as it is.
    /// - Throws: What `change` throws; `.validation` for a result that breaks a rule, or that would be changed again.
    package func applied(to content: Content) throws -> Content? {
        var new = content
        try change(&new)
        guard new != content else { return nil }
        _ = try new.validated()
        var again = new
        try change(&again)
        guard again == new else {
            throw DomainError.validation(
                "The rewrite '\(name)' changes its own result again; it must leave that as it is.")
        }
        return new
    }
}
