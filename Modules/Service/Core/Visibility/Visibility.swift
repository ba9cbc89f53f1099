public import StrataDomain

/// Who sees and changes the rows of a table: the one place that decides it, for every route of an entity, its nested lists, its search and
/// its synchronisation. A route of one's own asks it, too:
///
/// ```swift
/// let own = table.visibility.condition(.read, for: try scope.caller())
/// let row = try store.row("SELECT COUNT(*) AS count FROM shifts WHERE \(own)")
/// ```
///
/// The caller's role in the whole service comes first (`ServiceRole`), then the owner of the row.
///
/// `condition` is the rule for many rows and `allows` the same rule for one. Both read the memberships in the snapshot of their reader, so
/// a membership that ended is without effect from its commit on. A table of spaces that its backend does not know shows no row.
public struct Visibility: Sendable {
    private let ownership: Ownership
    private let collection: String
    private let spaces: (any SpaceDirectory)?

    /// - Parameters:
    ///   - collection: The name of the rows in the table of roles.
    ///   - spaces: The memberships, for `Ownership.space`. Default: none.
    public init(_ ownership: Ownership, of collection: String, in spaces: (any SpaceDirectory)? = nil) {
        (self.ownership, self.collection, self.spaces) = (ownership, collection, spaces)
    }

    /// The rows with which `caller` may do `action`, for a statement on the table. `.create` is the rule for the space of a new row.
    public func condition(_ action: RowAction, for caller: Principal) -> Statement {
        restriction(action, for: caller) ?? "1 = 1"
    }

    /// Whether `caller` may do `action` with a row of `owner`.
    public func allows(
        _ action: RowAction, _ owner: RowOwner, by caller: Principal, in store: any StoreReader
    ) throws -> Bool {
        guard caller.may(action, collection) else { return false }
        switch ownership {
        case .everyone: return true
        case .author, .readableByAll:
            return isOpen(action, for: caller) || owner.author == caller.key
        case .space:
            guard let spaces else { return false }
            if isOpen(action, for: caller) { return true }
            guard let space = owner.space else { return false }
            let own = spaces.spaces(of: caller, allowing: action, on: collection)
            return try store.row("SELECT 1 AS found WHERE \(space) IN (\(own))") != nil
        }
    }

    /// - Throws: 403 when `caller` must not do `action` with a row; in a space of others with the code `not_a_member`.
    public func require(
        _ action: RowAction, _ owner: RowOwner, by caller: Principal, in store: any StoreReader
    ) throws {
        try caller.require(action, collection)
        guard try !allows(action, owner, by: caller, in: store) else { return }
        guard ownership == .space else {
            throw ServiceError.forbidden("Only its author and administrators may change this row.")
        }
        guard try allows(.read, owner, by: caller, in: store) else { throw ServiceError.notAMember }
        throw ServiceError.forbidden(
            "Your role in this space does not let you \(action.rawValue) \(collection.replacing("_", with: " ")); ask one of its "
                + "administrators.")
    }

    /// `nil` where `caller` may do `action` with every row.
    func restriction(_ action: RowAction, for caller: Principal) -> Statement? {
        guard caller.may(action, collection) else { return "1 = 0" }
        if isOpen(action, for: caller) { return nil }
        guard ownership == .space else { return "\(owner) = \(caller.key)" }
        return spaces.map { "\(owner) IN (\($0.spaces(of: caller, allowing: action, on: collection)))" } ?? "1 = 0"
    }

    /// Whether no row is looked at.
    private func isOpen(_ action: RowAction, for caller: Principal) -> Bool {
        switch ownership {
        case .everyone: true
        case .author: caller.isAdmin || action == .create
        case .readableByAll: caller.isAdmin || action == .create || action == .read
        // Every user may begin a space.
        case .space: isOfSpaces && action == .create
        }
    }

    // MARK: The owner of a row

    /// Whether the rows are the spaces themselves: each belongs to itself.
    private var isOfSpaces: Bool { spaces?.collection == collection }

    /// The column of the owner.
    var owner: Statement {
        ownership == .space ? (isOfSpaces ? "id" : "\(raw: Ownership.spaceField)") : "author_id"
    }

    /// The owner of a row in the change log; `nil` for rows that every user sees.
    func name(of owner: RowOwner) -> String? {
        switch ownership {
        case .everyone, .readableByAll: nil
        case .author: owner.author
        case .space: owner.space
        }
    }

    /// The owners in the change log whose rows `caller` sees; `nil` for all.
    func owners(seenBy caller: Principal, in store: any StoreReader) throws -> [String]? {
        guard caller.may(.read, collection) else { return [] }
        switch ownership {
        case .everyone, .readableByAll: return nil
        case .author: return caller.isAdmin ? nil : [caller.key]
        case .space:
            guard let spaces else { return [] }
            let own = spaces.spaces(of: caller, allowing: .read, on: collection)
            return try store.rows("\(own) ORDER BY id").map { try $0.text("id") }
        }
    }

    func owner(of fields: [String: JSONValue], _ id: String, author: String?) -> RowOwner {
        RowOwner(author: author, space: space(of: id) { fields[$0]?.string })
    }

    /// - Parameter value: The value of the field with a name.
    func space(of id: String, _ value: (String) -> String?) -> String? {
        guard ownership == .space else { return nil }
        return isOfSpaces ? id : value(Ownership.spaceField)
    }

    /// Whether a row may change its owner; otherwise the field that says it.
    var fixedField: String? { ownership == .space && !isOfSpaces ? Ownership.spaceField : nil }
}

/// Whom a row belongs to.
public struct RowOwner: Sendable, Hashable {
    /// `Principal.key`; `nil` for a row that was written before authors were recorded.
    public var author: String?
    /// The id of its space, for `Ownership.space`.
    public var space: String?

    /// The owner of a row. Default: no author and no space.
    public init(author: String? = nil, space: String? = nil) { (self.author, self.space) = (author, space) }
}

extension ServiceError {
    /// 403 for a row of a space that the caller is not in. It says the same of a space that does not exist.
    static var notAMember: ServiceError {
        ServiceError(
            403, code: SyncCode.notAMember, title: "Not a member",
            detail:
                "You are not a member of this space, or it was deleted. Ask one of its administrators for an invitation, or drop the "
                + "write.")
    }
}
