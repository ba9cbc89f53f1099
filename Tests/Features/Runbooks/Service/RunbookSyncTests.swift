import FoundationEssentials
import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataSQLite
import StrataService
import Testing

/// All that runbooks need to be kept and edited offline.
private struct RunbookSync: SyncedTable {
    let name = "runbooks"
    let table = "runbook"
    let columns = [SyncedColumn("title", .text), SyncedColumn("body", .text), SyncedColumn("tags", .words)]

    func check(_ row: [String: JSONValue], by principal: Principal) throws {
        _ = try ServiceError.accepting(Runbook(wireFields: row).validated)
    }

    func derived(from row: [String: JSONValue]) -> [String: StoreValue] {
        let text = "\(row["title"]?.string ?? "")\n\(row["body"]?.string ?? "")"
        return ["searchable": .text(text.lowercased())]
    }
}

/// Runbooks as they are, and synchronised.
struct SyncedRunbooks: FeatureService {
    let base = RunbooksService()
    var migrations: [StoreMigration] { base.migrations + [RunbookSync().adoption] }
    var syncedCollections: [any SyncedCollection] { [RunbookSync()] }
    func mount(on routes: inout APIRoutes) { base.mount(on: &routes) }
}

@Suite struct `Runbooks, switched to synchronisation` {
    private func push(_ client: HTTPAPIClient, _ mutations: Mutation...) async throws -> [MutationResult] {
        try await client.send(PushMutations(batch: MutationBatch(clientId: "device", mutations: mutations))).results
    }

    private func mutation(
        _ id: String, _ operation: Mutation.Operation, base: Int? = nil, _ fields: [String: JSONValue] = [:]
    ) -> Mutation {
        Mutation(
            id: id, clientSeq: 1, collection: "runbooks", entityId: "rb-1", operation: operation, baseVersion: base,
            fields: fields, at: Date(timeIntervalSince1970: 0))
    }

    private let fields: [String: JSONValue] = [
        "title": .string("Disk full"), "body": .string("1. df -h"), "tags": .array([.string("disk"), .string("db")]),
    ]

    @Test func `a runbook written offline is one like any other`() async throws {
        let create = mutation("m1", .create, fields)
        let patch = mutation("m2", .patch, base: 1, ["title": .string("Disk really FULL")])
        try await withBackend(SyncedRunbooks()) { backend in
            let client = try backend.client()
            #expect(try await push(client, create, patch).map(\.version) == [1, 2])
            let shown = try await client.send(GetEntity<Runbook>(id: Runbook.ID("rb-1")))
            #expect((shown.title, shown.body, shown.tags) == ("Disk really FULL", "1. df -h", ["disk", "db"]))
            let change = try #require(try await client.send(PullChanges()).changes.first)
            #expect(change.data == (try JSONValue(encoding: shown)).object)
            #expect(change.updatedAt == shown.updatedAt && change.version == shown.version)
            let found = try await client.send(ListRunbooks(tag: "disk", q: "really full"))
            #expect(found.items == [shown])
            let digest = try await client.send(FetchDigest()).collections[0]
            #expect((digest.collection, digest.count) == ("runbooks", 1))
        }
    }

    @Test func `the rules of runbooks hold for mutations, field by field`() async throws {
        let bad = mutation(
            "m1", .create, ["title": .string(""), "body": .integer(7), "tags": .array([.string("a b")])])
        let poor = mutation("m2", .create, ["title": .string("x")])
        let odd = mutation("m3", .create, fields.merging(["colour": .string("red")]) { $1 })
        try await withBackend(SyncedRunbooks()) { backend in
            let client = try backend.client()
            let first = try await push(client, bad)[0]
            #expect(first.status == .rejected)
            #expect(first.error?.errors?.map(\.field) == ["fields.body", "fields.tags"])
            let second = try await push(client, poor)[0]
            #expect(second.error?.errors?.map(\.field) == ["fields.body", "fields.tags"])
            #expect(try await push(client, odd)[0].error?.code == SyncCode.unknownField)
            let empty = mutation("m4", .create, fields.merging(["title": .string("")]) { $1 })
            #expect(try await push(client, empty)[0].error?.errors?.map(\.field) == ["title"])
            #expect(try await client.send(ListRunbooks()).items.isEmpty)
        }
    }

    @Test func `creating, editing and deleting follow the common rule`() async throws {
        let create = mutation("m1", .create, fields)
        let again = mutation("m2", .create, fields)
        let different = mutation("m3", .create, fields.merging(["body": .string("other")]) { $1 })
        let stale = mutation("m4", .patch, base: 9, ["body": .string("x")])
        try await withBackend(SyncedRunbooks()) { backend in
            let client = try backend.client()
            #expect(try await push(client, create, again).map(\.version) == [1, 1])
            #expect(try await push(client, different)[0].current?.data?["body"] == .string("1. df -h"))
            #expect(try await push(client, stale)[0].status == .conflict)
            #expect(try await push(client, mutation("m5", .delete, base: 9))[0].status == .conflict)
            #expect(try await push(client, mutation("m6", .delete, base: 1))[0].version == 2)
            #expect(try await push(client, mutation("m7", .delete, base: 2))[0].status == .applied)
            #expect(try await push(client, mutation("m8", .patch, base: 1, fields))[0].current?.operation == .delete)
        }
    }

    @Test func `runbooks from before are adopted, with versions and in the digest`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            for title in ["a", "b", "c"] {
                let draft = Runbook(title: title, body: "x", tags: ["t"])
                _ = try await client.send(CreateEntity(draft))
            }
            let switched = try ServiceApplication(
                features: [SyncedRunbooks()], store: backend.store, authenticator: Nobody())
            try await switched.prepare()
            let versions = try await backend.store.read { reader in
                try reader.rows(
                    """
                    SELECT r.version AS own, c.version AS logged, c.bucket AS bucket FROM runbook r
                    JOIN sync_change c ON c.entity_id = r.id AND c.collection = 'runbooks'
                    """
                ).map { [try $0.int("own"), try $0.int("logged"), try $0.int("bucket")] }
            }
            #expect(versions.count == 3 && Set(versions.map { $0[0] }) == [1, 2, 3])
            #expect(versions.allSatisfy { $0[0] == $0[1] && $0[2] >= 0 })
            let seq = try await backend.store.read { try $0.row("SELECT seq FROM sync_meta")?.int("seq") }
            #expect(seq == 3)
        }
    }
}

private struct Nobody: Authenticator {
    func principal(bearer token: String) async throws -> Principal { throw ServiceError.unauthorized("Nobody.") }
    func principal(apiKey: String) async throws -> Principal { throw ServiceError.unauthorized("Nobody.") }
}
