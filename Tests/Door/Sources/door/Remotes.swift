import Foundation
import StrataDomain
import StrataOffline

/// Each signature below is a copy of the protocol's.

/// An API that has nothing.
struct NoRemote: RemoteCollection {
    var abilities: RemoteAbilities { RemoteAbilities() }
    var references: [String: String] { [:] }

    func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage {
        PullPage(rows: [])
    }

    func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome { .gone }

    func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow] { [] }

    func verdict(on error: NetworkError, for write: RemoteWrite) -> PushVerdict { .standard(error, write) }
}

/// The whole set-up of an offline collection.
func offlineNotes(_ path: String, _ client: any APIClient) throws -> (Offline, OfflineEntities<Note>) {
    let offline = try Offline(at: path, client: client)
    let notes = try offline.collection(
        Note.self,
        CRUDRemote(
            list: { try await $0.get("/notes") },
            create: { note, client in try await client.post("/notes", body: note) },
            update: { id, note, client in try await client.put("/notes/{id}", ["id": id], body: note) },
            delete: { id, client in try await client.delete("/notes/{id}", ["id": id]) }))
    return (offline, notes)
}
