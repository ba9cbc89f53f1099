import FoundationEssentials
import StrataDomain

extension RESTRemote {
    /// Sends one entry; looks before, where the API needs it, and after, where the answer does not tell.
    func push(_ entries: [OutboxEntry]) async throws -> [PushAnswer] {
        guard let entry = entries.first, let remote = remotes[entry.mutation.collection] else { return [] }
        let call = RemoteCall(remote: remote, client: client, entry: entry, rest: self)
        return [.outcome(entry.id, try await call.run())]
    }
}

/// One entry on its way to another API.
struct RemoteCall {
    let remote: any RemoteCollection
    let client: any APIClient
    let entry: OutboxEntry
    let rest: RESTRemote

    private var isRepeat: Bool { entry.state == .inflight }

    /// What is known here of the row.
    private struct Sides: Sendable {
        var write: RemoteWrite
        /// The row as both sides last agreed on it, with local ids.
        var base: [String: JSONValue]?
        /// The edited fields with local ids; all fields of a create.
        var edits: [String: JSONValue]
        /// Why it cannot be sent as it is; `nil` when it can.
        var obstacle: String?
        /// The tag of an earlier try; `nil` when none left this device.
        var sent: SentTag?
    }

    /// - Returns: An outcome that can be acknowledged.
    /// - Throws: `PushFault` when the entry stays queued or is refused.
    func run() async throws -> RemoteOutcome {
        if Task.isCancelled { throw PushFault(NetworkError(.cancelled), .stop(untouched: true)) }
        var sides = try await sides()
        if let obstacle = sides.obstacle { throw PushFault(NetworkError(.invalidRequest(obstacle)), .refuse) }
        if sides.write.operation == .create {
            if let made = try await earlierCreate(sides) { return answer(made) }
        } else {
            if sides.write.remoteID == nil {
                throw PushFault(
                    NetworkError(
                        .unexpected("The id of '\(entry.mutation.entityId)' at the server is lost; discard the write.")),
                    .refuse)
            }
            // The row was read since an earlier try, and showed it.
            if sides.write.operation == .update, hasEffect(sides, in: sides.base ?? [:]) { return answer(.accepted()) }
            if let outcome = try await compared(&sides) { return answer(outcome) }
            try await keepTag(of: sides)
        }
        return try await send(sides)
    }

    private func answer(_ outcome: PushOutcome, isGone: Bool = false) -> RemoteOutcome {
        RemoteOutcome(outcome: outcome, isGone: isGone, shapes: rest.shapes)
    }

    private func sides() async throws(DomainError) -> Sides {
        let (entry, isRepeat, abilities) = (entry, isRepeat, remote.abilities)
        let (shapes, shape) = (rest.shapes, rest.shapes[entry.mutation.collection])
        return try await rest.look { access in
            let mutation = entry.mutation
            let key = EntityKey(collection: mutation.collection, id: mutation.entityId)
            let local = try access.fetchLocal(key)
            let link = try access.remotes.link(key)
            let isCreate = mutation.operation == .create
            var write = RemoteWrite(
                id: mutation.id, operation: .create,
                remoteID: shape.choosesIDs ? link?.remoteID ?? RemoteID(key.id) : isCreate ? nil : link?.remoteID,
                isRepeat: isRepeat)
            switch mutation.operation {
            case .create: break
            case .patch:
                write.operation = .update
                write.changes = try access.outgoing(mutation.fields.touched, shape)
            case .delete: write.operation = .delete
            }
            write.fields = try access.outgoing(mutation.applied(to: local.base?.data) ?? [:], shape)
            let sent = isRepeat && link?.sent?.write == mutation.id ? link?.sent : nil
            // The tag is that of the first try, or of the newest state. A deferred one is not what the write is based on.
            if abilities.precondition == .ifMatch, !isCreate, local.deferredRemote == nil {
                write.entityTag = sent == nil ? link?.entityTag : sent?.tag
            }
            let edits = mutation.operation == .patch ? mutation.fields.touched : mutation.fields.canonical
            let lost = try access.lostReference(in: mutation.fields, over: local.base?.data ?? [:], shape)
            var obstacle = lost.map {
                "it refers to '\($0)', which was never sent and is gone; change or discard the write"
            }
            if isCreate, let other = try access.circularReference(in: mutation.fields, shape, shapes) {
                obstacle =
                    "it refers to '\(other)', which needs this row first; take the reference away, synchronise, and set it again"
            }
            return Sides(write: write, base: local.base?.data, edits: edits, obstacle: obstacle, sent: sent)
        }
    }

    // MARK: - Before

    /// The row that an earlier try of a create made, where a second one would make another row. By its natural key a row of another
    /// client is found as well; one without what was written here is a conflict.
    private func earlierCreate(_ sides: Sides) async throws -> PushOutcome? {
        guard isRepeat, remote.abilities.repeats == .lookUpFirst, let row = try await made(sides.write) else {
            return nil
        }
        guard case .naturalKey = remote.abilities.ids else { return .stored(row) }
        return hasEffect(sides, in: try await local(row)) ? .stored(row) : .conflict(row)
    }

    /// Reads the row before it is changed, where the server does not compare.
    ///
    /// - Returns: An outcome when the write must not be sent; `nil` when the row is as the write expects it.
    private func compared(_ sides: inout Sides) async throws -> PushOutcome? {
        switch remote.abilities.precondition {
        case .none: return nil
        case .ifMatch: if sides.write.entityTag != nil { return nil }
        case .compareFirst: break
        }
        guard let id = sides.write.remoteID else { return nil }
        guard let row = try await found(.row(id)).first(where: { $0.id == id }) else { return .gone }
        let content = try await local(row)
        if remote.abilities.precondition == .ifMatch {
            sides.write.entityTag = sides.sent == nil ? row.entityTag : sides.sent?.tag
        }
        if content == sides.base { return nil }
        return hasEffect(sides, in: content) ? .stored(row) : .conflict(row)
    }

    /// Stores the tag before the request leaves. Under an idempotency key a repeat must be the same request: with the tag of a later reading
    /// the server would refuse the key, or answer to what the first try expected. A 412 for the old tag ends in `settled`.
    private func keepTag(of sides: Sides) async throws(DomainError) {
        guard case .idempotencyKey = remote.abilities.repeats, remote.abilities.precondition == .ifMatch,
            sides.sent == nil, let id = sides.write.remoteID
        else { return }
        let key = EntityKey(collection: entry.mutation.collection, id: entry.mutation.entityId)
        let sent = SentTag(write: entry.id, tag: sides.write.entityTag)
        try await rest.access { access in
            var link = try access.remotes.link(key) ?? RemoteLink(entityID: key.id, remoteID: id)
            link.sent = sent
            try access.remotes.set(link, in: key.collection)
        }
    }

    // MARK: - The request

    private func send(_ sides: Sides) async throws -> RemoteOutcome {
        let write = sides.write
        do {
            let outcome = try await remote.push(write, with: client)
            switch outcome {
            case .stored(let row): return try await present(row.id, outcome, write)
            case .gone: return answer(outcome)
            case .accepted(let id):
                guard write.operation == .create else { return answer(outcome) }
                guard let id = id ?? write.remoteID else {
                    throw unanswered(NetworkError(.invalidResponse("the new row has no id")))
                }
                return try await present(id, outcome, write)
            case .conflict(let row?) where write.operation != .create:
                return answer(try await settled(row, sides, NetworkError(.conflict(nil))))
            case .conflict: return answer(try await afterConflict(sides, NetworkError(.conflict(nil))))
            case .unknown: throw unanswered(NetworkError(.invalidResponse("the outcome cannot be told")))
            }
        } catch let error as NetworkError {
            switch remote.verdict(on: error, for: write) {
            case .conflict: return answer(try await afterConflict(sides, error))
            case .gone: return answer(.gone)
            case .reject(let problem): throw PushFault(error.explained(by: problem), .refuse)
            case .pause: throw PushFault(error.asPause, .stop(untouched: error.attempts.isEmpty))
            case .retry(let wait): throw retried(error, wait)
            }
        }
    }

    /// A key repeats its first answer. The row may have changed since then, and the change may have been read already.
    private func present(_ id: RemoteID, _ outcome: PushOutcome, _ write: RemoteWrite) async throws -> RemoteOutcome {
        guard isRepeat, case .idempotencyKey = remote.abilities.repeats else { return answer(outcome) }
        if let row = try await found(.row(id), isSent: true).first(where: { $0.id == id }) {
            return answer(.stored(row))
        }
        return write.operation == .create ? answer(outcome, isGone: true) : answer(.gone)
    }

    /// The entry alone waits: the server may have done it.
    private func unanswered(_ error: NetworkError) -> PushFault { PushFault(error, .leave) }

    /// Once a server has answered, the entry counts as sent, whatever the answer was: a proxy may have sent a copy that takes effect later.
    /// An entry that counts as never sent would take up the next edit, and the copy would stand for both.
    private func retried(_ error: NetworkError, _ wait: Duration?) -> PushFault {
        var error = error
        switch error.kind {
        case .rateLimited:
            // All other entries would be refused, too.
            error.kind = .rateLimited(retryAfter: wait ?? error.retryAfter)
            return PushFault(error, .stop(untouched: error.attempts.isEmpty))
        case .server(503, _) where wait != nil:
            error.retryAfter = wait
            return PushFault(error, .stop(untouched: false))
        case .server, .decoding, .invalidResponse, .status, .validation, .notFound, .forbidden, .conflict:
            return PushFault(error, .leave)
        case .invalidRequest, .unexpected:
            return PushFault(error, error.attempts.isEmpty ? .leaveUntouched : .leave)
        case .offline, .circuitOpen: return PushFault(error, .stop(untouched: error.attempts.count <= 1))
        // An entry that has failed so several times must not keep the others from being sent.
        case .connectionLost where entry.attempts >= 3, .timeout where entry.attempts >= 3:
            return PushFault(error, .leave)
        case .connectionLost, .timeout, .tls, .unauthorized, .storage, .cancelled:
            return PushFault(error, .stop(untouched: error.isFromRefresh && error.attempts.count <= 1))
        }
    }

    // MARK: - After

    /// Which conflict it is: with a newer state of the row, with our own earlier try, or with a rule of the server.
    private func afterConflict(_ sides: Sides, _ error: NetworkError) async throws -> PushOutcome {
        let write = sides.write
        if write.operation == .create {
            guard let row = try await made(write, isSent: true) else { throw PushFault(error, .refuse) }
            return hasEffect(sides, in: try await local(row)) ? .stored(row) : .conflict(row)
        }
        guard let id = write.remoteID else { throw PushFault(error, .refuse) }
        guard let row = try await found(.row(id), isSent: true).first(where: { $0.id == id }) else { return .gone }
        return try await settled(row, sides, error)
    }

    private func settled(_ row: RemoteRow, _ sides: Sides, _ error: NetworkError) async throws -> PushOutcome {
        let content = try await local(row)
        if hasEffect(sides, in: content) { return .stored(row) }
        // The row is as expected. With a stale tag the write is sent again with the present one; otherwise a rule refuses it.
        if content == sides.base, sides.write.entityTag == nil || sides.write.entityTag == row.entityTag {
            throw PushFault(error, .refuse)
        }
        if content == sides.base { try await requireStableTag(row) }
        return .conflict(row)
    }

    /// A tag that is another one at each reading is never the one that the server expects, and the write would be sent for ever.
    private func requireStableTag(_ row: RemoteRow) async throws {
        guard let again = try await found(.row(row.id), isSent: true).first(where: { $0.id == row.id }),
            again.entityTag != row.entityTag, again.revision == row.revision, again.fields == row.fields
        else { return }
        let text =
            "the entity tag of '\(row.id)' changes although the row does not, so If-Match cannot be used; "
            + "state 'precondition: .compareFirst'"
        throw PushFault(NetworkError(.invalidResponse(text)), .refuse)
    }

    /// Whether a row shows the write already.
    private func hasEffect(_ sides: Sides, in content: [String: JSONValue]) -> Bool {
        guard sides.write.operation != .delete, isRepeat || sides.write.operation == .create else { return false }
        return sides.edits.allSatisfy { content[$0.key] ?? .null == $0.value }
    }

    // MARK: - Looking

    /// The row that this create made, as far as it can be told: one that no other local row has.
    private func made(_ write: RemoteWrite, isSent: Bool = false) async throws -> RemoteRow? {
        let rows = try await found(.made(write), isSent: isSent)
        let (collection, seq, own) = (entry.mutation.collection, entry.mutation.clientSeq, entry.mutation.entityId)
        let free = try await rest.look { access in
            try rows.first { row in
                guard let link = try access.remotes.link(of: row.id, in: collection) else { return true }
                return link.entityID == own || seq <= link.suspect ?? .min
            }
        }
        return free
    }

    /// - Parameter isSent: The entry was sent in this call, and its outcome depends on the row.
    /// - Throws: `PushFault`: nothing is decided about the entry.
    private func found(_ search: RemoteSearch, isSent: Bool = false) async throws -> [RemoteRow] {
        do { return try await remote.find(search, with: client) } catch {
            switch error.kind {
            case .unauthorized: throw PushFault(error.asPause, .stop(untouched: !isSent))
            case .offline, .circuitOpen, .connectionLost, .timeout, .tls, .rateLimited, .cancelled, .storage:
                throw PushFault(error, .stop(untouched: !isSent))
            case _ where error.isFromRefresh: throw PushFault(error, .stop(untouched: !isSent))
            default: throw PushFault(error, isSent ? .leave : .leaveUntouched)
            }
        }
    }

    private func local(_ row: RemoteRow) async throws(DomainError) -> [String: JSONValue] {
        let shape = rest.shapes[entry.mutation.collection]
        return try await rest.look { try $0.incoming(row.fields, shape).canonical }
    }
}

extension NetworkError {
    /// With the words of a verdict, where it has some.
    fileprivate func explained(by problem: Problem?) -> NetworkError {
        guard let problem, problem != self.problem else { return self }
        var error = self
        error.kind = .validation(problem)
        return error
    }

    /// A verdict may pause on any error; the loop waits for a login.
    fileprivate var asPause: NetworkError {
        var error = self
        if case .unauthorized = kind { return error }
        error.kind = .unauthorized(problem)
        return error
    }
}
