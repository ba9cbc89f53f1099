import FoundationEssentials
import StrataDomain

extension EntityTable: RelatedTable {
    var noun: String { Content.noun }
    var plural: String { Content.plural }

    var references: [TableReference] {
        let removed = Set(Content.removedFields.map(\.name))
        return Content.storedFields.compactMap { field in
            field.reference.map {
                TableReference(
                    field: field.name, column: field.column, isRemoved: removed.contains(field.name),
                    target: $0.target.collection, rule: $0.onDelete)
            }
        }
    }

    func beforeWrite(
        _ row: [String: JSONValue], over old: [String: JSONValue], _ id: String, by caller: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws {
        guard hooks.beforeWrite != nil else { return }
        try beforeWrite(content(of: row), over: old, Identifier(id), by: caller, at: now, in: store)
    }

    /// A row that `caller` does not see is as if missing. A value that stays is not checked: another user may have set it.
    ///
    /// - Parameters:
    ///   - old: The row before the write; `nil` for a new one.
    ///   - tellsDeletion: Whether a row that was deleted is a conflict.
    /// - Throws: 422 naming each field whose value names no row; 409 `reference_deleted` for the first that was deleted.
    func requireReferences(
        _ content: Content, over old: [String: JSONValue]?, by caller: Principal, tellingDeletion tellsDeletion: Bool,
        in store: any StoreTransaction
    ) throws {
        guard hasReferences else { return }
        var flaws: [FieldError] = []
        for field in Content.fields {
            guard let target = field.reference?.target, let id = field.value(content).string,
                old?[field.name] != .string(id), try !hasRow(id, of: target, for: caller, in: store)
            else { continue }
            if tellsDeletion, try wasDeleted(id, of: target, for: caller, in: store) {
                throw ServiceError(
                    409, code: SyncCode.referenceDeleted, title: "Conflict",
                    detail: "The \(target.noun) '\(id)' was deleted; choose another one for '\(field.name)'.",
                    fields: [FieldError(field: field.name, message: "names a deleted \(target.noun)")])
            }
            flaws.append(FieldError(field: field.name, message: "names no \(target.noun): there is no '\(id)'"))
        }
        guard flaws.isEmpty else { throw ServiceError.validation(flaws) }
    }

    /// Whether `caller` sees the row that a field names. Where writers run side by side, a deletion of it that overlaps makes one
    /// of both run again: each reads what the other writes.
    func hasRow(
        _ id: String, of target: any Entity.Type, for caller: Principal, in store: any StoreTransaction
    ) throws -> Bool {
        try store.row(condition(id, of: target, for: caller)) != nil
    }

    /// - Throws: 404 for a row that `caller` does not see.
    func requireRow(
        _ id: String, of target: any Entity.Type, for caller: Principal, in store: any StoreReader
    ) throws {
        guard try store.row(condition(id, of: target, for: caller)) != nil else {
            throw ServiceError.notFound(target.noun, id)
        }
    }

    private func condition(_ id: String, of target: any Entity.Type, for caller: Principal) throws -> Statement {
        let table = relations.table(of: target.collection)
        let own = visibility(of: target).restriction(.read, for: caller).map { " AND \($0)" as Statement } ?? ""
        return "SELECT id FROM \(raw: table?.table ?? target.collection) WHERE id = \(id)\(own)"
    }

    private func visibility(of target: any Entity.Type) -> Visibility {
        relations.table(of: target.collection)?.visibility
            ?? Visibility(target.ownership, of: target.collection, in: relations.spaces)
    }

    /// Whether the change log has the tombstone of a row that `caller` saw.
    private func wasDeleted(
        _ id: String, of target: any Entity.Type, for caller: Principal, in store: any StoreReader
    ) throws -> Bool {
        let owners = try visibility(of: target).owners(seenBy: caller, in: store)
        let own: Statement = owners.map { " AND owner IN (\(list: $0))" } ?? ""
        return try store.row(
            """
            SELECT version FROM sync_change
            WHERE collection = \(target.collection) AND entity_id = \(id) AND deleted = 1\(own)
            """) != nil
    }
}
