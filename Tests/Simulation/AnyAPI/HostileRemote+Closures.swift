import FoundationEssentials
import StrataDomain

extension HostileRemote {
    /// What the engine gets: this remote, or the same calls as four closures.
    var collection: any RemoteCollection {
        guard link.world.rules.usesClosures else { return self }
        return name == "tasks" ? closures(RESTTask.self) : closures(RESTProject.self)
    }

    private func closures<Content: Entity>(_ type: Content.Type) -> any RemoteCollection {
        let link = link
        let name = name
        let isClient = link.world.rules.ids == .client
        @Sendable func request(_ method: RESTRequest.Method, _ id: RemoteID? = nil, _ content: Content? = nil)
            throws -> RESTRequest
        {
            var request = RESTRequest(method: method, collection: name, id: id?.rawValue, sender: link.device.name)
            // A PUT of the whole row: what it lacks is taken away.
            if let content {
                let values = try content.wireFields()
                for field in Content.fields { request.fields[field.name] = values[field.name] ?? .null }
            }
            return request
        }
        @Sendable func remote(_ row: RESTRow) throws -> Remote<Content> {
            let fields = row.fields.filter { name, value in
                value != .null && Content.fields.contains { $0.name == name }
            }
            return Remote(id: RemoteID(row.id), try Content(wireFields: fields))
        }
        @Sendable func written(_ response: RESTResponse) throws -> Remote<Content> {
            guard let row = response.rows.first else { throw NetworkError(.invalidResponse("no row")) }
            return try remote(row)
        }
        let bug = link.world.bug
        @Sendable func page(_ point: PullPoint) async throws -> RemoteList<Content> {
            var call = try request(.list)
            call.page = point.page
            let response = try await link.send(call)
            if bug != .deletesAfterCutList { try HostileRemote.refuseCut(response, of: call) }
            return RemoteList(try response.rows.map(remote), next: response.next)
        }
        if isClient {
            return CRUDRemote<Content>(
                list: { _ in
                    var (rows, point) = ([Remote<Content>](), PullPoint(.everything))
                    while true {
                        let list = try await page(point)
                        rows += list.rows
                        guard let next = list.next else { return rows }
                        point.page = next
                    }
                },
                put: { id, content, _ in try written(await link.send(request(.put, id, content))) },
                delete: { id, _ in _ = try await link.send(request(.delete, id)) },
                get: { id, _ in try written(await link.send(request(.get, id))) },
                references: references, abilities: abilities)
        }
        return CRUDRemote<Content>(
            pages: { point, _ in try await page(point) },
            create: { content, _ in try written(await link.send(request(.post, nil, content))) },
            update: { id, content, _ in try written(await link.send(request(.put, id, content))) },
            delete: { id, _ in _ = try await link.send(request(.delete, id)) },
            references: references, abilities: abilities)
    }

    /// A list that states its size and has fewer rows was cut.
    static func refuseCut(_ response: RESTResponse, of request: RESTRequest) throws(NetworkError) {
        guard let total = response.total, response.next == nil else { return }
        let count = (request.page.flatMap { Int($0) } ?? 0) + response.rows.count
        guard count >= total else { throw NetworkError(.invalidResponse("\(count) of \(total) rows")) }
    }
}
