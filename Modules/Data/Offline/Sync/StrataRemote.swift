import FoundationEssentials
import GRDB
import StrataDomain

/// The endpoints of Strata's own servers: batches of writes with stored results, changes in the order of the server's commits, a snapshot for the
/// first copy, and a digest to compare.
struct StrataRemote: SyncRemote {
    let client: any APIClient
    let context: SyncContext

    var batchSize: Int { settings.batchSize }
    var stopsWithoutAnswer: Bool { true }

    func references(of collection: String) -> [String: String]? { database.collections[collection]?.targets ?? [:] }

    func push(_ entries: [OutboxEntry]) async throws -> [PushAnswer] {
        // By the cursor, the server refuses a batch that is based on data from before a restore.
        let (clientId, cursor) = try await database.read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT client_id, (SELECT cursor FROM cursor) FROM client"))
            return ((row?[0] as String?) ?? "", row?[1] as String?)
        }
        let batch = MutationBatch(clientId: clientId, mutations: entries.map(\.mutation), cursor: cursor)
        do { return try await client.send(PushMutations(batch: batch)).results.map(PushAnswer.result) } catch {
            throw PushFault(error, PushFailure(error, count: entries.count))
        }
    }
}
