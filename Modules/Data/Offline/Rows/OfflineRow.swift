public import FoundationEssentials
public import GRDB
public import StrataDomain

/// A feature's row that is stored and edited with or without a network.
///
/// The engine derives every row from the fields on the wire and writes it in the transaction that changed them, so a
/// feature states a table and one mapping, and reads its table as it likes:
///
/// ```swift
/// struct NoteRow: OfflineRow {
///     static let collectionName = "notes"
///     static let databaseTableName = "note"
///     static let migrations = [
///         OfflineMigration("1", "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL, version INTEGER NOT NULL)")
///     ]
///     var id: String
///     var text: String
///     var version: Int
///
///     init(id: String, fields: WireFields, stamp: RowStamp) throws {
///         self.id = id
///         text = try fields.string("text")
///         version = stamp.version
///     }
/// }
/// ```
///
/// The table's primary key is the text column `id`. Times are stored as whole milliseconds since 1970.
public protocol OfflineRow: Codable, FetchableRecord, PersistableRecord, Sendable {
    /// Name of the collection on the wire.
    static var collectionName: String { get }
    /// In the order in which they run; a released one never changes.
    static var migrations: [OfflineMigration] { get }
    /// How edits on both sides are merged. Default: the user decides, for every field.
    static var mergePolicy: MergePolicy { get }
    /// All columns beside `id`, where each is a field or part of the stamp as it is: a snapshot of many rows is then
    /// several times faster. Default: `nil`, each row is made by `init`.
    static var columns: [OfflineColumn]? { get }

    /// The fields that name rows of other collections; the table has a column of each name. Default: none.
    static var references: [OfflineReference] { get }
    /// Whether rows belong to spaces (`Ownership.space`): what a user must not see any more is erased from the file. Default: false.
    static var isInSpaces: Bool { get }

    /// The fields of this version for those that an earlier version of the program, or its server, stored or sent. Default: `nil`, they
    /// have been the same.
    static var presentFields: (@Sendable ([String: JSONValue]) -> [String: JSONValue])? { get }

    /// - Parameter fields: As on the wire, without `id`, `version` and `updated_at`.
    /// - Throws: `WireFields.Mismatch`, or any error, when the fields make no row. A local write is refused then; a remote
    ///   row is stored for a later version of the program and not shown.
    init(id: String, fields: WireFields, stamp: RowStamp) throws
}

extension OfflineRow {
    public static var mergePolicy: MergePolicy { MergePolicy() }
    public static var columns: [OfflineColumn]? { nil }
    public static var references: [OfflineReference] { [] }
    public static var presentFields: (@Sendable ([String: JSONValue]) -> [String: JSONValue])? { nil }
    public static var isInSpaces: Bool { false }

    /// For `OfflineDatabase.open`.
    public static var collection: OfflineCollection { OfflineCollection(Self.self) }

    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .custom { $0.milliseconds }
    }

    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .millisecondsSince1970
    }
}

/// A field that names a row of another collection. The row is sent after the one that it names.
public struct OfflineReference: Sendable, Hashable {
    /// The name of the field.
    public let field: String
    /// The column of the field.
    public let column: String
    /// The collection of the row that is named.
    public let collection: String
    /// What the deletion of a named row does here at once; the server does it to the rows that are not here.
    public let rule: DeleteRule
    /// Whether a row may lack it.
    public let isOptional: Bool

    /// - Parameter column: Default: it has the name of the field.
    public init(
        _ field: String, to collection: String, onDelete rule: DeleteRule, isOptional: Bool, column: String? = nil
    ) {
        (self.field, self.collection, self.rule, self.isOptional) = (field, collection, rule, isOptional)
        self.column = column ?? field
    }
}

/// The version and the time of a row.
public struct RowStamp: Sendable, Hashable {
    /// The server's version; 0 until the server has the row.
    public var version: Int
    /// The time of the last write: the server's, or while it is not synchronised, the local one. Shown, never compared.
    public var updatedAt: Date

    /// The version of a row and the time of its last write.
    public init(version: Int, updatedAt: Date) {
        self.version = version
        self.updatedAt = updatedAt
    }
}

/// One step of a table's schema.
public struct OfflineMigration: Sendable, Hashable {
    /// Unique in its collection.
    public let name: String
    /// One or more statements, or none for a step that derives the rows again.
    public let sql: String

    /// A step with a name that is never used again; a released step never changes.
    public init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}

extension Date {
    /// Whole milliseconds since 1970, rounded; times beyond the years 0 to 9999 count as the nearest of these.
    public var milliseconds: Int64 {
        Int64((min(max(timeIntervalSince1970, -62_167_219_200), 253_402_300_799.999) * 1000).rounded())
    }

    /// The time that is so many milliseconds after the start of 1970.
    public init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
