import FoundationEssentials
import StrataDomain

/// Names a row over all collections.
struct EntityKey: Hashable, Sendable {
    var collection: String
    var id: String
}

/// The row as both sides last agreed on it: the base of every merge.
struct Shadow: Hashable, Sendable {
    var version: Int
    var updatedAt: Date
    /// Canonical content.
    var data: [String: JSONValue]
    /// The replacement round in which the server last showed this row.
    var round: Int
}

/// A conflict that waits for a person, with the remote side it was found against.
struct Dispute: Hashable, Sendable {
    var id: String
    var remote: SyncChange
    var fields: [String]
    var reason: String
    var createdAt: Date
}

/// All the engine knows about one row. What people see, `row`, is derived and never a state of its own.
struct EntityState: Hashable, Sendable {
    var key: EntityKey
    /// `nil` while the server does not have the row, as far as is known here.
    var shadow: Shadow?
    /// Unsynchronised writes, oldest first.
    var lane: [OutboxEntry] = []
    /// A newer remote row that waits for the answer to the first entry of the lane.
    var parked: SyncChange?
    /// While open, all entries of the lane are `.conflicted`.
    var dispute: Dispute?

    /// The content people see: what was agreed, with the lane on top; `nil` when there is no such row.
    var row: [String: JSONValue]? {
        lane.reduce(shadow?.data) { row, entry in entry.mutation.applied(to: row) }
    }

    var stamp: RowStamp {
        RowStamp(
            version: shadow?.version ?? 0,
            updatedAt: lane.last?.mutation.at ?? shadow?.updatedAt ?? Date(timeIntervalSince1970: 0))
    }

    /// The conflict as people see it; `nil` when none is open.
    var conflict: SyncConflict? {
        dispute.map {
            SyncConflict(
                id: $0.id, collection: key.collection, entityId: key.id, fields: $0.fields, base: shadow?.data,
                local: row,
                remote: $0.remote.content, reason: $0.reason, createdAt: $0.createdAt)
        }
    }
}

extension Mutation {
    /// The row after this write.
    func applied(to row: [String: JSONValue]?) -> [String: JSONValue]? {
        switch operation {
        case .create: fields.canonical
        case .patch: row?.edited(with: fields.touched)
        case .delete: nil
        }
    }
}

extension SyncChange {
    /// Canonical content; `nil` for a tombstone.
    var content: [String: JSONValue]? {
        operation == .delete ? nil : (data ?? [:]).canonical
    }

    var key: EntityKey { EntityKey(collection: collection, id: id) }

    func shadow(round: Int) -> Shadow? {
        content.map { Shadow(version: version, updatedAt: updatedAt, data: $0, round: round) }
    }

    /// The fact that a row is gone, when nobody said since when.
    static func tombstone(_ key: EntityKey, version: Int, at now: Date) -> SyncChange {
        SyncChange(
            collection: key.collection, id: key.id, version: version, updatedAt: now, operation: .delete, data: nil)
    }
}
