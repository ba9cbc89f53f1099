/// The roles of the members of a space, as an enum of the service's own: its table says what each role may do, and the server asks it
/// for every route and every synchronised row.
///
/// ```swift
/// enum Role: String, SpaceRole {
///     case viewer, editor, administrator
///     func may(_ action: RowAction, _ collection: String) -> Bool {
///         switch (self, collection) {
///         case (.administrator, _): true
///         case (_, "spaces"), (_, "space_members"): action == .read
///         case (.editor, _): true
///         case (.viewer, _): action == .read
///         }
///     }
/// }
/// ```
///
/// The spaces themselves are the collection `spaces`, their members and invitations `space_members`. A role that may update those is an
/// administrator of its spaces: the first one of `allCases` is that of the user who creates a space, and a space always has one. The raw
/// value stands in the database and on the wire: it stays as it is. A member whose stored role is in no case any more may do nothing.
public protocol SpaceRole: RawRepresentable<String>, CaseIterable, Sendable, Hashable {
    /// Whether members with this role may do `action` with rows of `collection` in their space.
    func may(_ action: RowAction, _ collection: String) -> Bool
}

extension SpaceRole {
    /// The collection of members and invitations, which have no entity.
    public static var members: String { "space_members" }
    /// Whether its members invite and remove members, and change roles.
    public var isAdministrator: Bool { may(.update, Self.members) }
}
