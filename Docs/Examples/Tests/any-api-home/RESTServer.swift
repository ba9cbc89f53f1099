import Foundation
import StrataClient

/// Django REST Framework's router: page numbers, and a refusal with 400 for a title that is there already.
enum RESTServer {
    static let abilities = RemoteAbilities(ids: .naturalKey(["title"]), precondition: .compareFirst)

    static let notes = CRUDRemote<Note>(
        pages: { try await page("/notes/", $0, $1) },
        create: { note, client in try await unique { try await client.post("/notes/", body: note) } },
        update: { id, note, client in try await client.put("/notes/{id}/", ["id": id], body: note) },
        delete: { id, client in try await client.delete("/notes/{id}/", ["id": id]) },
        get: { id, client in try await client.get("/notes/{id}/", ["id": id]) },
        revision: "modified", references: ["folder": "folders"], abilities: abilities
    )
    .patching { id, fields, client in try await client.patch("/notes/{id}/", ["id": id], body: fields) }

    static let folders = CRUDRemote<Folder>(
        pages: { try await page("/folders/", $0, $1) },
        create: { folder, client in try await unique { try await client.post("/folders/", body: folder) } },
        update: { id, folder, client in try await client.put("/folders/{id}/", ["id": id], body: folder) },
        delete: { id, client in try await client.delete("/folders/{id}/", ["id": id]) },
        get: { id, client in try await client.get("/folders/{id}/", ["id": id]) },
        abilities: RemoteAbilities(ids: .naturalKey(["name"]), precondition: .compareFirst))

    private struct Page<Content: Entity>: Decodable, Sendable {
        var results: [Remote<Content>]
        var next: String?
    }

    private static func page<Content: Entity>(
        _ path: String, _ point: PullPoint, _ client: any APIClient
    ) async throws -> RemoteList<Content> {
        let number = point.page.flatMap { Int($0) } ?? 1
        let page: Page<Content> = try await client.get(path, ["page": number])
        return RemoteList(page.results, next: page.next.map { _ in "\(number + 1)" })
    }

    /// DRF says 400 where others say 409; the code of its message is not in the response.
    private static func unique<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as NetworkError {
            guard case .validation(let problem) = error.kind,
                String(decoding: error.response?.bytes ?? Data(), as: UTF8.self).contains("already exists")
            else { throw error }
            throw NetworkError(.conflict(problem), request: error.request)
        }
    }
}
