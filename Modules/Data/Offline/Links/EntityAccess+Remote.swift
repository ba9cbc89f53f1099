import FoundationEssentials
import GRDB
import StrataDomain

/// Rows of other APIs. Every state of a row that is seen gets the next version of the row, so the planner decides as it does for rows of a Strata
/// server. All calls of a run follow one another, so a later state was read later.
extension EntityAccess {
    /// Stores a row as it was fetched.
    func take(_ row: RemoteRow, _ intake: RemoteIntake) throws -> SyncReport {
        let shape = intake.shape
        let known = try remotes.link(of: row.id, in: shape.name)
        if let known, try isRepeat(row, of: known, shape) { return SyncReport() }
        let content = try incoming(row.fields, shape, isStored: true).canonical
        let id =
            try known?.entityID ?? intake.unsentRow(with: content, self)
            ?? (shape.choosesIDs ? row.id.rawValue : localID(for: row.id, in: shape.name))
        let key = EntityKey(collection: shape.name, id: id)
        var link = known ?? RemoteLink(entityID: id, remoteID: row.id, suspect: intake.unresolvedCreate)
        (link.revision, link.entityTag, link.isMissing) = (row.revision, row.entityTag, false)
        if known == nil {
            try attach(key, link, intake.shapes)
        } else if link != known {
            try remotes.set(link, in: shape.name)
        }
        return try reconcile(key, content, at: row.modifiedAt, intake.busy)
    }

    /// Stores that a row is deleted at the server.
    func takeDeletion(of id: RemoteID, in collection: String) throws -> SyncReport {
        guard var link = try remotes.link(of: id, in: collection) else { return SyncReport() }
        (link.revision, link.entityTag, link.isMissing) = (nil, nil, false)
        try remotes.set(link, in: collection)
        return try reconcile(
            EntityKey(collection: collection, id: link.entityID), nil, at: nil, BusyEntities(tables.db))
    }

    /// Whether an overlap or a shifted page brings a state that is here already.
    private func isRepeat(_ row: RemoteRow, of known: RemoteLink, _ shape: RemoteShape) throws -> Bool {
        guard let revision = row.revision, revision == known.revision, !known.isMissing else { return false }
        guard row.entityTag == nil || row.entityTag == known.entityTag else { return false }
        return try remotes.hasBase(EntityKey(collection: shape.name, id: known.entityID))
    }

    /// - Parameter content: `nil` for a deleted row.
    private func reconcile(
        _ key: EntityKey, _ content: [String: JSONValue]?, at date: Date?, _ busy: BusyEntities
    ) throws -> SyncReport {
        let change = SyncChange(
            collection: key.collection, id: key.id, version: 0, updatedAt: date ?? now,
            operation: content == nil ? .delete : .put, data: content)
        guard let local = try fetchIntact(key, isQuiet: !busy.contains(key), else: change) else { return SyncReport() }
        if local.lastRemote == content { return SyncReport() }
        var next = change
        next.version = local.lastVersion + 1
        let isMadeAgain = content != nil && local.openConflict.map { $0.remote.content == nil } ?? false
        let decision =
            isMadeAgain
            ? SyncPlanner.madeAgain(local, as: next)
            : SyncPlanner.reconcile(local: local, remote: next, context(key.collection))
        try persist(decision.state, over: local, isLocal: false)
        return decision.report
    }

    /// Acknowledges the first entry of a row, and binds its id at the server, in one transaction.
    func acknowledge(_ answer: RemoteOutcome, of write: Mutation, in local: EntityState) throws -> SyncReport {
        guard local.queue.first?.id == write.id else { return SyncReport() }
        let (key, shape) = (local.key, answer.shapes[local.key.collection])
        let known = try remotes.link(key)
        let version = local.lastVersion + 1
        switch answer.outcome {
        case .stored(let row):
            let content = try incoming(row.fields, shape, isStored: true).canonical
            let copy = try answer.isGone ? copy(of: row.id, beside: key) : nil
            var report = try apply(write, version, content, local)
            try bind(key, to: link(key, row, known), answer.shapes)
            if let copy { report.add(try reconcile(key, copy.lastRemote, at: nil, BusyEntities(tables.db))) }
            // No later page may tell it: the one that did was read before the id was known here.
            if answer.isGone { report.add(try takeDeletion(of: row.id, in: shape.name)) }
            return report
        case .accepted(let id):
            // Without the row, a state that was deferred is the last one known; the next pull has the present one.
            let seen = local.deferredRemote == nil ? version : local.base?.version ?? 0
            var report = try apply(write, seen, nil, local)
            let remoteID = known?.remoteID ?? id ?? (shape.choosesIDs ? RemoteID(key.id) : nil)
            let isCreate = write.operation == .create
            if let remoteID = isCreate ? id ?? remoteID : remoteID {
                let copy = try copy(of: remoteID, beside: key)
                try bind(key, to: RemoteLink(entityID: key.id, remoteID: remoteID), answer.shapes)
                if let copy { report.add(try reconcile(key, copy.lastRemote, at: nil, BusyEntities(tables.db))) }
                if answer.isGone { report.add(try takeDeletion(of: remoteID, in: shape.name)) }
            }
            return report
        case .gone:
            if var known {
                (known.revision, known.entityTag) = (nil, nil)
                try remotes.set(known, in: key.collection)
            }
            guard write.operation != .delete else { return try apply(write, version, nil, local) }
            return try conflict(write, .tombstone(key, version: version, at: now), local)
        case .conflict(let row?):
            let content = try incoming(row.fields, shape, isStored: true).canonical
            let report = try conflict(
                write,
                SyncChange(
                    collection: key.collection, id: key.id, version: version, updatedAt: row.modifiedAt ?? now,
                    operation: .put, data: content), local)
            try bind(key, to: link(key, row, known), answer.shapes)
            return report
        case .conflict(nil), .unknown: return SyncReport()
        }
    }

    /// A row that was fetched under another local id. It may know more than what was sent, and no later page tells it again.
    private func copy(of id: RemoteID, beside key: EntityKey) throws -> EntityState? {
        guard let found = try remotes.link(of: id, in: key.collection), found.entityID != key.id else { return nil }
        return try fetchLocal(EntityKey(collection: key.collection, id: found.entityID))
    }

    private func link(_ key: EntityKey, _ row: RemoteRow, _ known: RemoteLink?) -> RemoteLink {
        RemoteLink(
            entityID: key.id, remoteID: row.id, revision: row.revision, entityTag: row.entityTag,
            suspect: known?.suspect)
    }

    /// The write took effect.
    ///
    /// - Parameter content: The row after it; `nil` when the response had none.
    private func apply(
        _ write: Mutation, _ version: Int, _ content: [String: JSONValue]?, _ local: EntityState
    ) throws -> SyncReport {
        let result = MutationResult(id: write.id, status: .applied, version: version)
        var decision = SyncPlanner.acknowledge(result, in: local, context(local.key.collection))
        if let content, write.operation != .delete, var base = decision.state.base {
            // The server's form of what was sent is no change of another client; any other difference may be one.
            let own = write.operation == .create ? Set(content.keys).union(base.data.keys) : Set(write.fields.keys)
            for field in own { base.data[field] = content[field] }
            decision.state.base = base
            if base.data != content {
                let change = SyncChange(
                    collection: local.key.collection, id: local.key.id, version: version + 1,
                    updatedAt: base.updatedAt, operation: .put, data: content)
                var merged = SyncPlanner.reconcile(
                    local: decision.state, remote: change, context(local.key.collection))
                merged.report.pulled = 0
                merged.report.add(decision.report)
                decision = merged
            }
        }
        try persist(decision.state, over: local, isLocal: false)
        return decision.report
    }

    private func conflict(_ write: Mutation, _ current: SyncChange, _ local: EntityState) throws -> SyncReport {
        let result = MutationResult(id: write.id, status: .conflict, current: current)
        let decision = SyncPlanner.acknowledge(result, in: local, context(local.key.collection))
        try persist(decision.state, over: local, isLocal: false)
        return decision.report
    }
}

extension EntityState {
    /// The version of the newest remote state that is here; 0 without one.
    var lastVersion: Int {
        max(openConflict?.remote.version ?? 0, deferredRemote?.version ?? 0, base?.version ?? 0)
    }

    /// The newest remote state that is here; `nil` for a row that the server does not have, as far as is known.
    var lastRemote: [String: JSONValue]? {
        if let remote = openConflict?.remote ?? deferredRemote { remote.content } else { base?.data }
    }
}
