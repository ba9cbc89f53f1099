public import StrataDomain

/// A column of a row's table and its content, so that a snapshot is stored without `OfflineRow.init` for each row.
///
/// A row that `OfflineRow.init` refuses must not fit its columns. Rows that do not fit go through `init`.
public struct OfflineColumn: Sendable, Hashable {
    enum Source: Hashable {
        /// The field of the column's name; with choices only one of these texts.
        case field(FieldKind, choices: [String]?)
        /// `RowStamp.version`.
        case version
        /// `RowStamp.updatedAt`, in milliseconds since 1970.
        case updatedAt
    }

    /// The name on the wire and in the table.
    public let name: String
    let source: Source
    /// Whether a row may go without the field.
    public let isOptional: Bool

    /// - Parameters:
    ///   - name: Of the column and of the field.
    ///   - kind: Of the field: `.text`, `.integer`, `.flag` (1 or 0 in the table) or `.time` (milliseconds since 1970 in the table).
    ///   - choices: The texts that it may have. Default: any.
    public init(_ name: String, _ kind: FieldKind, choices: [String]? = nil, isOptional: Bool = false) {
        (self.name, self.isOptional) = (name, isOptional)
        source = .field(kind, choices: choices)
    }

    private init(_ name: String, _ source: Source) { (self.name, self.source, isOptional) = (name, source, false) }

    /// The column `version`.
    public static let version = OfflineColumn("version", .version)
    /// The column `updated_at`.
    public static let updatedAt = OfflineColumn("updated_at", .updatedAt)
}
