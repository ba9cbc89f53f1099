public import StrataDomain

/// The table of an entity with a column for each field, for lists in an order of their own and for fast snapshots.
///
/// ```swift
/// enum NoteColumns: EntityColumns {
///     typealias Content = Note
///     static let table = "note"
///     static let creation = "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL, version INTEGER NOT NULL, …)"
/// }
/// ```
public protocol EntityColumns: Sendable {
    associatedtype Content: Entity
    /// A plain SQL name.
    static var table: String { get }
    /// Creates the table and its indexes: `id TEXT PRIMARY KEY`, a column for each field of version 1 (`TEXT`; `INTEGER` for
    /// integers, flags and times; `REAL` for numbers), `version INTEGER NOT NULL`, `updated_at INTEGER NOT NULL`. Fields of later
    /// versions are added without more code.
    static var creation: String { get }
}

extension EntityColumns {
    static var migrations: [OfflineMigration] {
        let versions = Set(Content.fields.map(\.version)).subtracting([1]).sorted()
        return [OfflineMigration("1", creation)] + (Content.recordsAuthor ? [authors] : [])
            + versions.map { version in
                let columns = Content.fields.filter { $0.version == version }.map {
                    "ALTER TABLE \(table) ADD COLUMN \($0.name) \($0.columnType);"
                }
                return OfflineMigration("\(version)", columns.joined(separator: "\n"))
            }
    }

    private static var authors: OfflineMigration {
        OfflineMigration("author", "ALTER TABLE \(table) ADD COLUMN author TEXT")
    }

    /// `nil` where a column takes values that the field does not.
    static var columns: [OfflineColumn]? {
        guard Content.fields.allSatisfy({ $0.isPlain && ![.number, .words].contains($0.kind) }) else { return nil }
        return Content.fields.map { OfflineColumn($0.name, $0.columnKind, isOptional: $0.isOptional) }
            + (Content.recordsAuthor ? [OfflineColumn("author", .text, isOptional: true)] : [])
            + [OfflineColumn("version", .version), OfflineColumn("updated_at", .updatedAt)]
    }
}

extension EntityField {
    fileprivate var columnType: String {
        switch kind {
        case .text, .words: "TEXT"
        case .integer, .flag, .time: "INTEGER"
        case .number: "REAL"
        }
    }

    fileprivate var columnKind: OfflineColumn.Kind {
        switch kind {
        case .text, .number, .words: choices.map { .choice($0) } ?? .text
        case .integer: .integer
        case .flag: .flag
        case .time: .time
        }
    }
}
