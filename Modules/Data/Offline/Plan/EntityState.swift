import FoundationEssentials
import StrataDomain

/// Names a row over all collections.
struct EntityKey: Hashable, Sendable {
    var collection: String
    var id: String
}

/// The row as both sides last agreed on it: the base of a three-way merge.
struct BaseRow: Hashable, Sendable {
    var version: Int
    var updatedAt: Date
    /// Canonical content.
    var data: [String: JSONValue]
    /// The replacement round in which the server last showed this row.
    var round: Int
}

/// A conflict that a user has to resolve, with the remote row that conflicts.
struct OpenConflict: Hashable, Sendable {
    var id: String
    var remote: SyncChange
    var fields: [String]
    var reason: String
    var createdAt: Date
}

/// The whole state of one row. The displayed row, `row`, is derived from it and never stored in it.
struct EntityState: Hashable, Sendable {
    var key: EntityKey
    /// `nil` for a row that the server does not have, as far as is known here.
    var base: BaseRow?
    /// Unsynchronised writes, oldest first.
    var queue: [OutboxEntry] = []
    /// A newer remote row, deferred until the first entry of the queue is answered.
    var deferredRemote: SyncChange?
    /// While open, all entries of the queue are `.conflicted`.
    var openConflict: OpenConflict?

    /// The displayed content: the base with the queue on top; `nil` for a deleted row.
    var row: [String: JSONValue]? {
        effective.reduce(base?.data) { row, entry in entry.mutation.applied(to: row) }
    }

    /// The writes that are shown. A deletion that the server refused brings its row back.
    private var effective: [OutboxEntry] { queue.filter { !$0.isRefusedDeletion } }

    var stamp: RowStamp {
        RowStamp(
            version: base?.version ?? 0,
            updatedAt: effective.last?.mutation.at ?? base?.updatedAt ?? Date(timeIntervalSince1970: 0))
    }

    /// The open conflict with its three sides; `nil` without one.
    var conflict: SyncConflict? {
        openConflict.map {
            SyncConflict(
                id: $0.id, collection: key.collection, entityId: key.id, fields: $0.fields, base: base?.data,
                local: row,
                remote: $0.remote.content, reason: $0.reason, createdAt: $0.createdAt)
        }
    }
}

extension OutboxEntry {
    var isRefusedDeletion: Bool { state == .rejected && mutation.operation == .delete }
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

    func base(round: Int) -> BaseRow? {
        content.map { BaseRow(version: version, updatedAt: updatedAt, data: $0, round: round) }
    }

    /// A deletion at an unknown time.
    static func tombstone(_ key: EntityKey, version: Int, at now: Date) -> SyncChange {
        SyncChange(
            collection: key.collection, id: key.id, version: version, updatedAt: now, operation: .delete, data: nil)
    }
}
