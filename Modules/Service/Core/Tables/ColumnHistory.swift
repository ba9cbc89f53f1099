import StrataDomain

/// How the stored values of a field from earlier versions of the program are read. The rows are rewritten behind the requests, so both
/// forms are read until then, and while a replica of the version before still writes.
final class ColumnHistory: Sendable {
    /// The column of a removed field whose values the field has now.
    struct Origin: Sendable {
        let column: SyncedColumn
        let field: FieldOrigin
    }

    let origin: Origin?
    private let converted: @Sendable (JSONValue) -> JSONValue?
    private let present: @Sendable (JSONValue) -> JSONValue

    init<Content>(_ field: EntityField<Content>, origin: Origin?) {
        (converted, present) = (field.converted, field.present)
        self.origin = origin
    }

    /// A stored value, and whether it is in the form of this version.
    struct Reading {
        var value: JSONValue
        var state: State
    }

    enum State: Hashable {
        case present
        case former
        /// It cannot be converted, and another value stands for it.
        case unreadable
    }

    func value(_ row: StoreRow, _ column: SyncedColumn) throws -> JSONValue { try reading(row, column).value }

    func reading(_ row: StoreRow, _ column: SyncedColumn) throws -> Reading {
        let stored = try column.value(row.value(column.column))
        if let origin {
            let old = try origin.column.value(row)
            // A value that does not belong to that of this field was written by the version before.
            if stored == .null ? old != .null || !column.isOptional : origin.field.back(stored) != old {
                guard let new = origin.field.forward(old) else {
                    return Reading(value: stored == .null ? present(stored) : stored, state: .unreadable)
                }
                return Reading(value: new, state: .former)
            }
        }
        guard let new = converted(stored) else { return Reading(value: present(stored), state: .unreadable) }
        return Reading(value: new, state: new == stored ? .present : .former)
    }
}

extension SyncedColumn {
    public static func == (one: SyncedColumn, other: SyncedColumn) -> Bool {
        one.name == other.name && one.column == other.column && one.kind == other.kind
            && one.isOptional == other.isOptional
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(column)
        hasher.combine(kind)
        hasher.combine(isOptional)
    }

    /// What the columns of the table get for a field: its own, and that of the removed field whose values it has.
    func storedValues(_ value: JSONValue) -> [(String, StoreValue)] {
        let own = (column, stored(value) ?? .null)
        guard let origin = history?.origin else { return [own] }
        return [own, (origin.column.column, origin.column.stored(origin.field.back(value)) ?? .null)]
    }
}

extension Entity {
    /// The columns of the fields, in their order.
    static var syncedColumns: [SyncedColumn] {
        fields.map { field in
            SyncedColumn(
                field.name, field.kind, isOptional: field.isOptional, column: field.column,
                history: field.hasStoredForms ? ColumnHistory(field, origin: origin(of: field)) : nil)
        }
    }

    private static func origin(of field: EntityField<Self>) -> ColumnHistory.Origin? {
        field.history.origin.flatMap { origin in
            removedFields.first { $0.name == origin.name }.map {
                ColumnHistory.Origin(column: SyncedColumn(removed: $0), field: origin)
            }
        }
    }

    /// The columns of removed fields, with the values of new rows.
    static var formerColumns: [FormerColumn] {
        let origins = Set(fields.compactMap { $0.history.origin?.name })
        return removedFields.map { field in
            let column = SyncedColumn(removed: field)
            let initial = (try? sample(onlyRequired: true)).map(field.value).flatMap(column.stored) ?? .null
            return FormerColumn(
                column: column, initial: origins.contains(field.name) ? nil : initial,
                takesID: field.isUnique && field.kind == .text && initial != .null,
                isServed: field.history.isServed && !field.isOptional)
        }
    }
}

extension SyncedColumn {
    /// The column of a removed field, which a row from before its own migration may lack.
    fileprivate init<Content>(removed field: EntityField<Content>) {
        self.init(
            field.name, field.kind, isOptional: true, column: field.column,
            history: field.hasStoredForms ? ColumnHistory(field, origin: nil) : nil)
    }
}

/// The column of a field that an entity has no longer.
struct FormerColumn: Sendable {
    let column: SyncedColumn
    /// The value of a new row; `nil` where another field gives it.
    let initial: StoreValue?
    /// Whether a new row has its id here instead, because no two rows may have one value.
    let takesID: Bool
    /// Whether rows are sent with it.
    let isServed: Bool
    /// Whether rows are read with it.
    var isRead: Bool { isServed || initial == nil }
}
