import FoundationEssentials
import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import Testing

/// Runbooks as they are, and synchronised: their rows counted versions of their own before.
private struct SyncedRunbooks: FeatureService {
    private let base = RunbooksService()
    private let table = EntityTable<Runbook>()
    var migrations: [StoreMigration] { base.migrations + [table.adoption] }
    var syncedCollections: [any SyncedCollection] { [table] }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

@Suite struct `Runbooks, switched to synchronisation` {
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
                    SELECT r.version AS own, c.version AS logged, c.bucket AS bucket FROM runbooks r
                    JOIN sync_change c ON c.entity_id = r.id AND c.collection = 'runbooks'
                    """
                ).map { [try $0.int("own"), try $0.int("logged"), try $0.int("bucket")] }
            }
            let first = try #require(versions.map { $0[0] }.min())
            #expect(versions.count == 3 && Set(versions.map { $0[0] }) == [first, first + 1, first + 2])
            #expect(versions.allSatisfy { $0[0] == $0[1] && $0[2] >= 0 })
            let seq = try await backend.store.read { try $0.row("SELECT seq FROM sync_meta")?.int("seq") }
            #expect(seq == first + 2)
        }
    }
}

private struct Nobody: Authenticator {
    func principal(bearer token: String) async throws -> Principal { throw ServiceError.unauthorized("Nobody.") }
    func principal(apiKey: String) async throws -> Principal { throw ServiceError.unauthorized("Nobody.") }
}
