public import FoundationEssentials
public import StrataDomain

extension SyncedTable {
    /// Applies a mutation. The create of an existing row, and an update or delete of another version, is a conflict that the
    /// client merges. A mutation whose result exists already is applied. A row that `principal` does not see is missing.
    ///
    /// - Throws: 403 for a row that `principal` must not change; 409 `id_taken` for the create of a row that is hidden.
    public func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int {
        let mutation = try (self as? any RelatedTable)?.present(mutation) ?? mutation
        let isAbsent = transaction.changes?.absent[name]?.contains(mutation.entityId) == true
        let found = isAbsent ? nil : try current(mutation.entityId, in: transaction)
        let old = try found.flatMap { try isHidden($0, from: principal, in: transaction) ? nil : $0 }
        if let old {
            let action: RowAction = mutation.operation == .delete ? .delete : .update
            // The create of an existing row writes nothing, so a role that only creates may repeat it.
            if mutation.operation != .create || principal.may(action, name) {
                try visibility.require(action, old.owner, by: principal, in: transaction)
            }
        } else if found != nil, ownership == .space, mutation.operation != .create {
            throw ServiceError.notAMember
        }
        switch mutation.operation {
        case .create:
            let fields = initial(mutation.fields, by: principal, at: mutation.at)
            let row = try changed(columnsWithoutValue, to: fields)
            if let old {
                guard old.fields == row else { throw SyncConflictError() }
                return old.version
            }
            guard found == nil else { throw ServiceError.idTaken(mutation.entityId) }
            try check(row, of: mutation, over: nil, by: principal, at: now, in: transaction)
            return try write(row, as: mutation.entityId, over: nil, by: principal, at: now, in: transaction)
        case .patch:
            guard let old, old.version == mutation.baseVersion else { throw SyncConflictError() }
            let row = try changed(old.fields, to: mutation.fields)
            try check(row, of: mutation, over: old, by: principal, at: now, in: transaction)
            return try write(row, as: mutation.entityId, over: old, by: principal, at: now, in: transaction)
        case .delete:
            guard let old else { return mutation.baseVersion ?? 0 }
            if let base = mutation.baseVersion, old.version != base { throw SyncConflictError() }
            return try delete(old, mutation.entityId, by: principal, at: now, in: transaction)
        }
    }

    /// Deletes the row `old`.
    ///
    /// - Returns: The version of its tombstone.
    @discardableResult func delete(
        _ old: CurrentRow, _ id: String, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int {
        try beforeDelete(old.fields, id, by: principal, in: transaction)
        if let related = self as? any RelatedTable {
            try related.releaseReferrers(of: id, by: principal, at: now, in: transaction)
        }
        try transaction.executeLater("DELETE FROM \(raw: table) WHERE id = \(id)")
        guard versions == .changeLog else {
            if recordsChanges { try RowChanges.forget(id, of: name, in: transaction) }
            return old.version
        }
        let stamp = try ChangeLog.stamp(
            .delete, collection: name, id: id, owner: visibility.name(of: old.owner), over: .row(old.stamp), at: now,
            in: transaction)
        if recordsChanges {
            let write = RowChanges.Write(operation: .delete, id: id, stamp: stamp, fields: [])
            try RowChanges.record(write, over: old, of: name, by: principal, in: transaction)
        }
        return stamp.version
    }

    private var columnsWithoutValue: [String: JSONValue] {
        Dictionary(columns.map { ($0.name, JSONValue.null) }) { first, _ in first }
    }

    private func check(
        _ row: [String: JSONValue], of mutation: Mutation, over old: CurrentRow?, by principal: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws {
        let given = Set(mutation.fields.keys)
        let write = SyncedWrite(
            id: mutation.entityId, row: row, given: old == nil ? given.union(columns.map(\.name)) : given,
            old: old?.fields, caller: principal, now: now)
        try check(write, in: store)
    }

    /// `row` with other values in some fields, in the form in which they are read back.
    ///
    /// - Throws: 422 naming each field.
    private func changed(
        _ row: [String: JSONValue], to fields: [String: JSONValue]
    ) throws -> [String: JSONValue] {
        var row = row
        var flaws: [FieldError] = []
        for column in columns {
            let value = fields[column.name] ?? row[column.name] ?? .null
            if column.stored(value) == nil {
                let problem = fields[column.name] == nil ? "is missing; send" : "must be"
                flaws.append(FieldError(field: "fields.\(column.name)", message: "\(problem) \(column.expected)"))
            }
            row[column.name] = column.canonical(value)
        }
        guard flaws.isEmpty else { throw ServiceError.validation(flaws) }
        return row
    }

    /// Inserts the row, or updates `old`, with a new version and time. `principal` is the author of a new row.
    ///
    /// - Returns: The new version.
    @discardableResult func write(
        _ row: [String: JSONValue], as id: String, over old: CurrentRow?, by principal: Principal, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> Int {
        guard let old else {
            let new = newRow(values(of: row), derived: derived(from: row), as: id, by: principal)
            return try insert(new, at: now, in: transaction).version
        }
        let stamp =
            switch versions {
            case .row: ChangeStamp(version: old.version + 1, at: now)
            case .changeLog:
                try ChangeLog.stamp(
                    .put, collection: name, id: id, owner: visibility.name(of: old.owner),
                    over: .row(old.stamp), at: now, in: transaction)
            }
        let values =
            values(of: row, over: old) + derived(from: row).inOrder
            + [("version", .integer(stamp.version)), ("updated_at", stamp.at.storeValue)]
        let names = values.map(\.0).joined(separator: ", ")
        try transaction.executeLater(
            "UPDATE \(raw: table) SET (\(raw: names)) = (\(list: values.map(\.1))) WHERE id = \(id)")
        if recordsChanges {
            let changed = columns.map(\.name).filter { row[$0] ?? .null != old.fields[$0] ?? .null }
            let write = RowChanges.Write(operation: .update, id: id, stamp: stamp, fields: changed)
            try RowChanges.record(write, over: old, of: name, by: principal, in: transaction)
        }
        return stamp.version
    }

    /// A row to insert; needs no transaction. `principal` is its author.
    func newRow(
        _ values: [(String, StoreValue)], derived: [String: StoreValue], as id: String, by principal: Principal
    ) -> NewRow {
        let space = visibility.space(of: id) { name in
            if case .text(let space)? = values.first(where: { $0.0 == name })?.1 { space } else { nil }
        }
        var values = values + derived.inOrder
        for former in (self as? any RelatedTable)?.formerColumns ?? [] {
            guard let initial = former.initial else { continue }
            values.append((former.column.column, former.takesID ? .text(id) : initial))
        }
        if recordsAuthor { values += [("author_id", .text(principal.key)), ("author", .text(principal.name))] }
        let names = values.map(\.0).joined(separator: ", ")
        return NewRow(
            id: id, owner: visibility.name(of: RowOwner(author: principal.key, space: space)),
            insertion: """
                INSERT INTO \(raw: table) (id, \(raw: names), version, updated_at)
                VALUES (\(id), \(list: values.map(\.1)),
                """)
    }

    /// - Returns: Version and time of the row.
    func insert(_ row: NewRow, at now: Date, in transaction: any StoreTransaction) throws -> ChangeStamp {
        let stamp =
            switch versions {
            case .row: ChangeStamp(version: 1, at: now)
            case .changeLog:
                try ChangeLog.stamp(
                    .put, collection: name, id: row.id, owner: row.owner, over: .nothing, at: now, in: transaction)
            }
        // From here on the transaction has the row.
        let isAbsent = transaction.changes?.absent[name]?.remove(row.id) != nil
        try transaction.executeLater(
            "\(row.insertion) \(stamp.version), \(stamp.at))", orThrow: isAbsent ? StaleRead() : nil)
        return stamp
    }

    private func values(of row: [String: JSONValue], over old: CurrentRow? = nil) -> [(String, StoreValue)] {
        columns.flatMap { column -> [(String, StoreValue)] in
            let value = row[column.name] ?? .null
            // What stands for an unreadable value does not replace it.
            if let old, old.unreadable.contains(column.name), old.fields[column.name] == value { return [] }
            return column.storedValues(value)
        }
    }
}

extension [String: StoreValue] {
    /// In the same order for all rows of a table, so that their statements have one text.
    fileprivate var inOrder: [(String, StoreValue)] { sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}

/// A row that is ready to be inserted.
struct NewRow: Sendable {
    let id: String
    /// The author of a row in a private collection, or the space of a row.
    let owner: String?
    /// Lacks version and time, which the change log gives.
    let insertion: Statement
}

extension SyncedColumn {
    /// `value` as it comes back from the table; times and numbers have more than one spelling.
    func canonical(_ value: JSONValue) -> JSONValue {
        guard kind == .time, let text = value.string, let date = RFC3339.date(from: text) else { return value }
        return .string(RFC3339.string(from: date))
    }
}
