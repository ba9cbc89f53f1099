/// A column of a row's table and its content, so that a snapshot is stored without `OfflineRow.init` for each row.
///
/// A row that `OfflineRow.init` refuses must not fit its columns. Rows that do not fit go through `init`.
public struct OfflineColumn: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The text field of the column's name.
        case text
        /// A text field with one of these values.
        case choice([String])
        case integer
        /// `true` or `false`; 1 or 0 in the table.
        case flag
        /// An RFC 3339 time; milliseconds since 1970 in the table.
        case time
        /// `RowStamp.version`.
        case version
        /// `RowStamp.updatedAt`, in milliseconds since 1970.
        case updatedAt
    }

    public let name: String
    public let kind: Kind
    /// Whether a row may go without the field.
    public let isOptional: Bool

    /// - Parameter name: Of the column and of the field.
    public init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }
}
