package import StrataDomain

/// What a member of a space may do: edit the cases and the table. The server asks it for every route and every synchronised row.
///
/// The names stand in the database: to rename a case, change them there, too. Members with a name that is no case any more may do nothing.
package enum MemberRole: String, SpaceRole, Codable {
    case viewer, editor, administrator

    package func may(_ action: RowAction, _ collection: String) -> Bool {
        switch (self, collection) {
        case (.administrator, _): true
        case (_, Space.collection), (_, Self.members): action == .read
        case (.editor, _): true
        case (.viewer, _): action == .read
        }
    }
}
