import Foundation
import StrataClient

/// JSON:API: documents with `data`, ids as texts, pages by `links.next`, newest row first. A note is found by its fields.
enum JSONAPIServer {
    static let notes = CRUDRemote<Note>(
        pages: { point, client in
            let page = try await client.response(
                to: URLEndpoint(point.page ?? "/notes/", as: List.self, headers: Call<List>.fields),
                options: CallOptions()
            ).value
            return RemoteList(page.data.map(\.remote), next: page.links.next)
        },
        create: { note, client in
            try await client.send(Call<One>(.post, "/notes/", sent(attributes: note))).data.remote
        },
        update: { id, note, client in
            try await client.send(Call<One>(.patch, "/notes/\(id)/", sent(id: id, attributes: note))).data.remote
        },
        delete: { id, client in _ = try await client.send(Call<NoContent>(.delete, "/notes/\(id)/", nil)) },
        get: { id, client in try await client.send(Call<One>(.get, "/notes/\(id)/", nil)).data.remote },
        abilities: RemoteAbilities(precondition: .compareFirst))

    struct Attributes: Codable, Sendable {
        var title: String
        var body: String
        var modified: String?
    }

    struct Resource: Codable, Sendable {
        var type = "notes"
        var id: RemoteID?
        var attributes: Attributes

        var remote: Remote<Note> {
            Remote(
                id: id ?? RemoteID(""), Note(title: attributes.title, body: attributes.body),
                revision: attributes.modified)
        }
    }

    struct One: Codable, Sendable { var data: Resource }

    struct Links: Decodable, Sendable { var next: String? }

    struct List: Decodable, Sendable {
        var data: [Resource]
        var links: Links
    }

    static func sent(id: RemoteID? = nil, attributes note: Note) -> One {
        One(data: Resource(id: id, attributes: Attributes(title: note.title, body: note.body)))
    }

    /// A request in JSON:API's media type, which the server insists on.
    struct Call<Response: Decodable & Sendable>: ManualEndpoint {
        static var fields: HeaderFields { ["Accept": "application/vnd.api+json"] }
        let method: HTTPMethod
        let path: String
        let document: One?
        var headers: HeaderFields { Self.fields }

        init(_ method: HTTPMethod, _ path: String, _ document: One?) {
            (self.method, self.path, self.document) = (method, path, document)
        }

        func body() throws -> RequestBody? {
            guard let document else { return nil }
            return RequestBody(contentType: "application/vnd.api+json", bytes: try JSONForm.asDeclared.encode(document))
        }
    }
}
