import FoundationEssentials
import StrataDomain

/// A write as a feature asks for it.
struct LocalWrite: Sendable {
    var operation: Mutation.Operation
    var fields: [String: JSONValue]

    /// The row with this write in it.
    ///
    /// A write is folded into the last entry of the queue, unless that may have been sent: the server stores a response under
    /// its id. A refused entry is sent again with the correction, under a new id.
    ///
    /// - Parameter seq: The position of a new entry.
    /// - Throws: `.conflict` for a create of an existing row, `.notFound` for another write of a missing row.
    func planned(on local: EntityState, seq: Int, _ context: SyncPlanner.Context) throws(DomainError) -> EntityState {
        let row = local.row
        if operation == .create {
            guard row == nil else { throw .conflict("'\(local.key.id)' exists already in \(local.key.collection).") }
        } else {
            guard row != nil else { throw .notFound("No '\(local.key.id)' is stored in \(local.key.collection).") }
        }
        var write = self
        switch operation {
        case .create: write.fields = fields.canonical
        case .patch:
            write.fields = fields.touched.filter { $0.value != row?[$0.key] ?? .null }
            if write.fields.isEmpty { return local }
        case .delete: write.fields = [:]
        }
        var next = local
        next.queue = write.folded(into: local, context) ?? (local.queue + [write.entry(on: local, seq: seq, context)])
        guard let remote = local.openConflict?.remote else { return next }
        return SyncPlanner.settle(next, onto: remote, context).state
    }

    private func entry(on local: EntityState, seq: Int, _ context: SyncPlanner.Context) -> OutboxEntry {
        let mutation = Mutation(
            id: context.mutationId, clientSeq: seq, collection: local.key.collection, entityId: local.key.id,
            operation: operation, baseVersion: operation == .create ? nil : local.base?.version, fields: fields,
            at: context.now)
        let state: OutboxEntry.State = local.openConflict == nil ? .pending : .conflicted
        return OutboxEntry(mutation: mutation, state: state, attempts: 0, nextAttemptAt: nil, error: nil)
    }

    /// The queue with this write in its last entry; `nil` when it needs an entry of its own.
    private func folded(into local: EntityState, _ context: SyncPlanner.Context) -> [OutboxEntry]? {
        guard var last = local.queue.last, last.state != .inflight else { return nil }
        let earlier = Array(local.queue.dropLast())
        switch (last.mutation.operation, operation) {
        case (.create, .patch):
            last.mutation.fields = last.mutation.fields.merging(fields) { $1 }
        // The server has such a row, and a user decides about it.
        case (.create, .delete) where local.openConflict?.remote.content != nil:
            last.mutation.operation = .delete
            last.mutation.fields = [:]
        case (.create, .delete):
            return earlier
        case (.patch, .patch):
            last.mutation.fields = last.mutation.fields.merging(fields) { $1 }
            if earlier.isEmpty, let base = local.base?.data {
                last.mutation.fields = last.mutation.fields.filter { $0.value != base[$0.key] ?? .null }
                if last.mutation.fields.isEmpty { return [] }
            }
        case (.delete, _) where last.isRefusedDeletion:
            // The row is shown again, so this write takes the place of the refused one.
            last.mutation.operation = operation
            last.mutation.fields = fields
            last.mutation.baseVersion = local.base?.version
        case (.patch, .delete):
            last.mutation.operation = .delete
            last.mutation.fields = [:]
        default: return nil
        }
        last.mutation.at = context.now
        return earlier + [last.state == .rejected ? last.renewed(context.mutationId) : last]
    }
}
