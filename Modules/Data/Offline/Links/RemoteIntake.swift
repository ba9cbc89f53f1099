import GRDB
import StrataDomain

/// What the rows of a page have in common while they are stored in one transaction: read once, not for each row.
final class RemoteIntake {
    let shape: RemoteShape
    let shapes: RemoteShapes
    let busy: BusyEntities
    /// As `RemoteLink.suspect`.
    let unresolvedCreate: Int?
    /// The rows that wait to be created, oldest first, by the values of their natural key.
    private var unsent: [[JSONValue]: [String]]?

    init(_ shape: RemoteShape, _ shapes: RemoteShapes, _ access: EntityAccess) throws {
        (self.shape, self.shapes) = (shape, shapes)
        busy = try BusyEntities(access.tables.db)
        unresolvedCreate = try busy.isEmpty ? nil : access.remotes.unresolvedCreate(in: shape.name)
    }

    /// The local row with the natural key of a fetched one, which waits to be created.
    func unsentRow(with content: [String: JSONValue], _ access: EntityAccess) throws -> String? {
        if shape.key.isEmpty || busy.isEmpty { return nil }
        let rows = try unsent ?? read(access)
        unsent = rows
        return try rows[values(content)]?.first {
            try access.remotes.link(EntityKey(collection: shape.name, id: $0)) == nil
        }
    }

    private func read(_ access: EntityAccess) throws -> [[JSONValue]: [String]] {
        let sql = "\(OutboxRow.selection) WHERE collection = ? AND operation = 'create' ORDER BY client_seq"
        let rows = try Row.fetchAll(access.tables.db.cachedStatement(sql: sql), arguments: [shape.name])
        let writes = try rows.compactMap(access.intactEntry).map(\.mutation)
        return Dictionary(grouping: writes) { values($0.fields) }.mapValues { $0.map(\.entityId) }
    }

    private func values(_ fields: [String: JSONValue]) -> [JSONValue] { shape.key.map { fields[$0] ?? .null } }
}
