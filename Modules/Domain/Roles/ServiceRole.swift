/// The roles of users in a whole service, as an enum of the service's own beside `member` and `admin`, who may do everything. Its table
/// says what each role may do with rows. The server asks it for every route of an entity and every synchronised row, before it asks
/// whose they are.
///
/// ```swift
/// enum StaffRole: String, ServiceRole {
///     case viewer, planner
///     func may(_ action: RowAction, _ collection: String) -> Bool {
///         switch (self, collection) {
///         case (.planner, "shifts"): true
///         default: action == .read
///         }
///     }
/// }
/// ```
///
/// A role only takes away: it shows no row that the entity's `ownership` hides. A case `member` gives the members of the service a table,
/// who otherwise may do what `ownership` allows; a case `admin` changes nothing. The raw value stands in the database and on the wire: it
/// stays as it is. A user whose stored role is in no case any more may do nothing with rows.
public protocol ServiceRole: RawRepresentable<String>, CaseIterable, Sendable, Hashable {
    /// Whether users with this role may do `action` with rows of `collection`.
    func may(_ action: RowAction, _ collection: String) -> Bool
}
