import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// One collection of the REST server, as the engine sees it. It states the abilities of the rules and adds no care of its own.
struct HostileRemote: RemoteCollection {
    let name: String
    let link: RESTLink

    var rules: RESTRules { link.world.rules }
    var bug: RESTBug? { link.world.bug }

    /// As much as the clocks of the server's nodes differ.
    static let overlap = Duration.seconds(10)

    var abilities: RemoteAbilities {
        RemoteAbilities(
            ids: rules.ids == .server ? .server : rules.ids == .client ? .client : .naturalKey(["code"]),
            deltas: rules.deltas == .fullList
                ? .fullList
                : rules.deltas == .cursor
                    ? .cursor : .since(field: "updated_at", overlap: bug == .noOverlap ? .zero : Self.overlap),
            deletions: rules.deletions == .absence
                ? .absentFromFullList : rules.deletions == .feed ? .feed : .tombstoneField("deleted"),
            precondition: rules.precondition == .ifMatch
                ? .ifMatch : rules.precondition == .compareFirst ? .compareFirst : .none,
            repeats: rules.repeats == .key
                ? .idempotencyKey(header: "Idempotency-Key") : rules.repeats == .natural ? .natural : .lookUpFirst,
            findsByID: !rules.usesClosures)
    }

    var references: [String: String] {
        name == "tasks" && bug != .localReferences ? ["project": "projects"] : [:]
    }

    // MARK: - Reading

    func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage {
        var request = RESTRequest(method: .list, collection: name, sender: link.device.name)
        switch point.start {
        case .everything: break
        case .since(let time): request.from = String(time.milliseconds)
        case .cursor(let cursor): request.from = cursor
        }
        request.page = point.page
        var response: RESTResponse
        do { response = try await link.send(request) } catch
            where bug == .deafToExpiry && error.response?.status == 410
        {
            response = RESTResponse(status: 200, checkpoint: request.from)
        }
        if bug == .staleList {
            let page = "\(request.sender) \(request.collection) \(request.page ?? "")"
            (response, link.world.lastPages[page]) = (link.world.lastPages[page] ?? response, response)
        }
        if bug == .pushOnly { return PullPage(rows: []) }
        if bug != .deletesAfterCutList { try Self.refuseCut(response, of: request) }
        if bug == .pullBeatsPush { dropWrites(to: response.rows.map(\.id)) }
        return PullPage(
            rows: response.rows.filter { !$0.isDeleted }.map(row),
            deleted: (response.deleted + response.rows.filter(\.isDeleted).map(\.id)).map { RemoteID($0) },
            next: response.next, checkpoint: response.checkpoint, serverTime: Date(milliseconds: response.time))
    }

    /// The planted bug: what waits for these rows is forgotten.
    private func dropWrites(to ids: [String]) {
        let sql = """
            DELETE FROM outbox WHERE collection = ?1 AND state = 'pending' AND entity_id IN (
                SELECT entity_id FROM remote_row WHERE collection = ?1 AND remote_id = ?2)
            """
        do {
            try link.device.disk.access { db in
                for id in ids { try db.cachedStatement(sql: sql).execute(arguments: [name, id]) }
            }
        } catch { link.world.fail("\(link.device.name): the writes cannot be dropped: \(error)") }
    }

    func row(_ row: RESTRow) -> RemoteRow {
        RemoteRow(
            id: RemoteID(row.id),
            // Some APIs have nothing that changes with a row.
            revision: rules.precondition == .none ? nil : String(row.revision),
            entityTag: rules.precondition == .ifMatch ? row.tag : nil,
            modifiedAt: rules.deltas == .since ? Date(milliseconds: row.updatedAt) : nil,
            fields: row.document.filter { $0.key != "id" })
    }

    func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow] {
        switch search {
        case .row(let id):
            return bug == .deletesAfterCutList ? [] : try await get(id.rawValue)
        case .made(let write):
            if bug == .noLookUp { return [] }
            var request = RESTRequest(method: .find, collection: name, fields: write.fields, sender: link.device.name)
            request.id = createID(of: write)
            request.ref = write.id
            return try await link.send(request).rows.map(row)
        }
    }

    private func get(_ id: String) async throws(NetworkError) -> [RemoteRow] {
        do {
            let request = RESTRequest(method: .get, collection: name, id: id, sender: link.device.name)
            return try await link.send(request).rows.map(row)
        } catch  where error.response?.status == 404 || error.response?.status == 410 {
            return []
        }
    }

    // MARK: - Writing

    /// The id that a create has before the server answers it.
    private func createID(of write: RemoteWrite) -> String? {
        switch rules.ids {
        case .server: nil
        case .client: write.remoteID?.rawValue
        case .naturalKey: write.fields["code"]?.string
        }
    }

    func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome {
        do throws(NetworkError) {
            let response = try await link.send(request(for: write))
            guard let row = response.rows.first else { return .accepted() }
            if rules.answersWithoutRow, write.operation == .update { return .accepted() }
            if rules.answersCreatesWithIDs, write.operation == .create { return .accepted(RemoteID(row.id)) }
            return .stored(self.row(row))
        } catch {
            let isRefused = error.response?.status == 412 && rules.showsConflicts && write.operation != .create
            guard isRefused, let id = write.remoteID else { throw error }
            guard let row = try await get(id.rawValue).first else { return .gone }
            return .conflict(row)
        }
    }

    private func request(for write: RemoteWrite) -> RESTRequest {
        var request = RESTRequest(method: .post, collection: name, sender: link.device.name)
        request.ref = write.id
        if rules.repeats == .key { request.key = bug == .newKeys ? "\(link.world.nextRequest())" : write.id }
        switch write.operation {
        case .create:
            request.fields = write.fields
            request.isCreate = true
            guard rules.ids == .client else {
                if rules.repeats == .natural {
                    request.method = .put
                    request.id = createID(of: write)
                }
                return request
            }
            if rules.repeats == .natural {
                request.method = .put
                request.id = createID(of: write)
                request.mustBeNew = rules.precondition == .ifMatch
            } else {
                request.fields["id"] = createID(of: write).map { .string($0) }
            }
        case .update:
            request.method = rules.replacesRows ? .put : .patch
            request.id = write.remoteID?.rawValue
            request.fields = rules.replacesRows ? write.fields : write.changes
            request.ifMatch = bug == .noPrecondition ? nil : write.entityTag
        case .delete:
            request.method = .delete
            request.id = write.remoteID?.rawValue
            request.ifMatch = bug == .noPrecondition ? nil : write.entityTag
        }
        return request
    }

    func verdict(on error: NetworkError, for write: RemoteWrite) -> PushVerdict {
        switch (bug, error.response?.status) {
        case (.blockingPoison, 422?): .pause
        default: .standard(error, write)
        }
    }
}
