import StrataClient

/// FastAPI's tutorial: `offset` and `limit`, an array without a total. Titles may repeat, and this program never repeats one.
enum FastAPIServer {
    private static let limit = 100

    static let notes = CRUDRemote<Note>(
        pages: { point, client in
            let offset = point.page.flatMap { Int($0) } ?? 0
            let rows: [Remote<Note>] = try await client.get("/notes/", ["offset": offset, "limit": limit])
            return RemoteList(rows, next: rows.count < limit ? nil : "\(offset + limit)")
        },
        create: { note, client in try await client.post("/notes/", body: note) },
        update: { id, note, client in try await client.patch("/notes/{id}", ["id": id], body: note) },
        delete: { id, client in try await client.delete("/notes/{id}", ["id": id]) },
        get: { id, client in try await client.get("/notes/{id}", ["id": id]) },
        abilities: RemoteAbilities(ids: .naturalKey(["title"]), precondition: .compareFirst)
    )
    .patching { id, fields, client in try await client.patch("/notes/{id}", ["id": id], body: fields) }
}
