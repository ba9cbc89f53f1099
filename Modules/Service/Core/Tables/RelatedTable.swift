import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// A table of an entity, whose rows may name rows of other tables and be named by them.
protocol RelatedTable: SyncedTable {
    var noun: String { get }
    var plural: String { get }
    /// The fields that name rows of other tables.
    var references: [TableReference] { get }
    /// The other tables of the backend.
    var relations: TableRelations { get }
    /// The columns of removed fields.
    var formerColumns: [FormerColumn] { get }
    /// Writes the rows of `selection` as synchronisation sends them: without the values that the server computes.
    var syncWriter: RowWriter { get }
    /// The mutation with the names and values of this version, for one of the version before.
    ///
    /// - Throws: 422 for a value that cannot be converted.
    func present(_ mutation: Mutation) throws -> Mutation
    /// Adds what programs of the version before get beside the fields.
    func addServed(of row: StoreRow, to fields: inout [String: JSONValue]) throws
    /// What the server has to do to the rows, besides requests.
    var rowWork: [RowWork] { get }
    /// Does what belongs to the write of a row.
    func beforeWrite(
        _ row: [String: JSONValue], over old: [String: JSONValue], _ id: String, by caller: Principal, at now: Date,
        in store: any StoreTransaction) throws
}

/// A field that names rows of another table.
struct TableReference: Sendable {
    /// Its name on the wire.
    let field: String
    let column: String
    /// Whether the entity has the field no longer; the foreign key of its column stays.
    var isRemoved = false
    /// The collection of the named rows.
    let target: String
    let rule: DeleteRule
}

/// Whether a deletion may go on, for the rows that name the deleted one.
extension RelatedTable {
    /// Does to the rows that name `id`, a row of this table, what their references say. Rows that refer to others that are released,
    /// too, come first.
    ///
    /// - Throws: 409 `constraint` when a reference restricts the deletion, or a row that goes with it must not be deleted; 403 when the
    ///   caller's role deletes none of those.
    func releaseReferrers(
        of id: String, by caller: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws {
        for referrer in relations.referrers(of: name) {
            try referrer.table.release(
                referrer.reference, from: id, of: noun, by: caller, at: now, in: transaction)
        }
    }

    private func release(
        _ reference: TableReference, from id: String, of target: String, by caller: Principal, at now: Date,
        in transaction: any StoreTransaction
    ) throws {
        if reference.isRemoved {
            let column = reference.column
            try transaction.execute(
                "UPDATE \(raw: table) SET \(raw: column) = NULL WHERE \(raw: column) = \(id)")
            return
        }
        let isOptional = columns.contains { $0.name == reference.field && $0.isOptional }
        switch reference.rule {
        case .cascade:
            try requireDeletable(reference, id, of: target, by: caller, in: transaction)
            try forEachRow(naming: id, reference, in: transaction) { row, old in
                try delete(old, row, by: caller, at: now, in: transaction)
            }
        case .clear where isOptional:
            try forEachRow(naming: id, reference, in: transaction) { row, old in
                var fields = old.fields
                fields[reference.field] = .null
                try beforeWrite(fields, over: old.fields, row, by: caller, at: now, in: transaction)
                try write(fields, as: row, over: old, by: caller, at: now, in: transaction)
            }
        case .restrict, .clear:
            try requireUnnamed(reference, id, of: target, by: caller, in: transaction)
        }
    }

    /// Calls `body`, which deletes or changes the row, with each row whose field names `id`.
    private func forEachRow(
        naming id: String, _ reference: TableReference, in transaction: any StoreTransaction,
        _ body: (String, CurrentRow) throws -> Void
    ) throws {
        while true {
            let rows = try transaction.rows(
                "SELECT id FROM \(raw: table) WHERE \(raw: reference.column) = \(id) ORDER BY id LIMIT 500")
            guard !rows.isEmpty else { return }
            for row in rows {
                let id = try row.text("id")
                // A row may have gone with another one of them.
                if let old = try current(id, in: transaction) { try body(id, old) }
            }
        }
    }

    /// - Throws: 409 while rows name `id`. Their number counts those that `caller` sees.
    private func requireUnnamed(
        _ reference: TableReference, _ id: String, of target: String, by caller: Principal, in store: any StoreReader
    ) throws {
        let named: Statement = "\(raw: reference.column) = \(id)"
        let all = try count(named, in: store)
        guard all > 0 else { return }
        let own = visibility.restriction(.read, for: caller)
        let seen = try own.map { try count("\(named) AND \($0)", in: store) } ?? all
        let those = [
            seen > 0 ? amount(seen) : nil, seen < all ? "\(plural) that you do not see" : nil,
        ].compactMap(\.self).joined(separator: " and ")
        throw ServiceError.stillReferenced(
            "\(those) \(all == 1 && seen == 1 ? "names" : "name") the \(target) '\(id)' as '\(reference.field)'; change or delete "
                + "\(all == 1 ? "it" : "them") first.")
    }

    /// - Throws: 409 while a row that names `id` must not be deleted by `caller`; 403 where no row may be.
    private func requireDeletable(
        _ reference: TableReference, _ id: String, of target: String, by caller: Principal, in store: any StoreReader
    ) throws {
        guard let own = visibility.restriction(.delete, for: caller) else { return }
        // A row that was written before authors were recorded belongs to no user.
        let others = try count("\(raw: reference.column) = \(id) AND (\(own)) IS NOT TRUE", in: store)
        guard others > 0 else { return }
        try caller.require(.delete, name)
        guard ownership != .space else {
            throw ServiceError.stillReferenced(
                "\(plural.prefix(1).uppercased() + plural.dropFirst()) that you may not delete name the \(target) '\(id)' as "
                    + "'\(reference.field)'; ask an administrator of the space.")
        }
        throw ServiceError.stillReferenced(
            "\(plural.prefix(1).uppercased() + plural.dropFirst()) of other authors name the \(target) '\(id)' as "
                + "'\(reference.field)', and only they and administrators may delete them; ask an administrator.")
    }

    private func count(_ condition: Statement, in store: any StoreReader) throws -> Int {
        try store.row("SELECT COUNT(*) AS count FROM \(raw: table) WHERE \(condition)")?.int("count") ?? 0
    }

    private func amount(_ count: Int) -> String { count == 1 ? "1 \(noun)" : "\(count) \(plural)" }
}

extension ServiceError {
    /// 409 for the deletion of a row that others name. Every write may have the code, so the document of the API need not know who refers
    /// to whom.
    static func stillReferenced(_ detail: String) -> ServiceError { .conflict(code: "constraint", detail) }
}

/// What a table knows of the other tables of its backend; nothing before the backend is made.
final class TableRelations: Sendable {
    private struct Link { weak var tables: RelatedTables? }
    private let link = Mutex(Link())

    func connect(_ tables: RelatedTables) { link.withLock { $0.tables = tables } }

    /// The spaces of the backend.
    var spaces: (any SpaceDirectory)? { link.withLock { $0.tables }?.spaces }

    func referrers(of collection: String) -> [RelatedTables.Referrer] {
        link.withLock { $0.tables }?.referrers[collection] ?? []
    }

    /// The table of a collection; `nil` when the backend has none.
    func table(of collection: String) -> (any RelatedTable)? { link.withLock { $0.tables }?.byName[collection] }
}

/// The tables of a backend's entities. The backend holds it; the tables know it as long as the backend lives.
final class RelatedTables: Sendable {
    struct Referrer: Sendable {
        let table: any RelatedTable
        let reference: TableReference
    }

    let byName: [String: any RelatedTable]
    /// By the collection that they name: first those of tables that refer to others in the list.
    let referrers: [String: [Referrer]]
    let spaces: (any SpaceDirectory)?

    /// - Parameters:
    ///   - tables: Of several with one collection, the first counts.
    ///   - spaces: Default: none.
    init(_ tables: [any RelatedTable], spaces: (any SpaceDirectory)? = nil) throws(ReferenceCircle) {
        let byName = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
        let targets = byName.mapValues { $0.references.map(\.target) }
        // A deletion that cascades in a circle would have no end, and columns that were added later make one without the migrations.
        if let circle = ReferenceOrder.circle(targets) { throw ReferenceCircle(collections: circle) }
        let depths = ReferenceOrder.depths(targets)
        let ordered = byName.values.sorted { (depths[$1.name] ?? 0, $0.name) < (depths[$0.name] ?? 0, $1.name) }
        var referrers: [String: [Referrer]] = [:]
        for table in ordered {
            for reference in table.references {
                referrers[reference.target, default: []].append(Referrer(table: table, reference: reference))
            }
        }
        (self.byName, self.referrers, self.spaces) = (byName, referrers, spaces)
        for table in tables { table.relations.connect(self) }
    }
}
