import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// Statuses, header fields and problems of a mounted endpoint.
@Suite struct EndpointHTTPTests {
    private func created(_ client: Client, text: String = "high water") async throws -> NotePayload {
        let reply = try await client.send(.post, "/v1/notes", json: #"{"text":"\#(text)","level":3}"#)
        #expect(reply.status == 201)
        return try reply.decoded(NotePayload.self)
    }

    @Test(arguments: [TestingSetup.router, .live])
    func `a note is created, read, changed and deleted`(_ setup: TestingSetup) async throws {
        try await withService(setup) { _, client in
            let note = try await created(client)
            let shown = try await client.send(.get, "/v1/notes/\(note.id)")
            #expect(shown.status == 200)
            #expect(shown.headers[.eTag] == "\"\(note.version)\"")
            #expect(shown.headers[.contentType] == "application/json")
            #expect(shown.headers[.cacheControl] == "private, no-cache")
            #expect(shown.headers[.xContentTypeOptions] == "nosniff")

            let changed = try await client.send(
                .put, "/v1/notes/\(note.id)", headers: [.ifMatch: "\"\(note.version)\""],
                json: #"{"text":"low water","level":1}"#)
            #expect(changed.status == 200)
            #expect(try changed.decoded(NotePayload.self).version > note.version)

            let deleted = try await client.send(.delete, "/v1/notes/\(note.id)")
            #expect(deleted.status == 204)
            #expect(deleted.body.isEmpty)
            #expect(deleted.headers[.contentType] == nil)
            #expect(try await client.send(.get, "/v1/notes/\(note.id)").problem().code == "not_found")
        }
    }

    @Test func `an unknown path is 404 and a known path with another method 405 with Allow`() async throws {
        try await withService { _, client in
            let unknown = try await client.send(.get, "/v1/nothing")
            #expect(unknown.status == 404)
            #expect(try unknown.problem().code == "no_such_path")
            for path in ["/v1/notes/", "/v1//notes", "//", "/v1", "/V1/notes"] {
                #expect(try await client.send(.get, path).status == 404, "\(path)")
            }
            let wrong = try await client.send(.patch, "/v1/notes")
            #expect(wrong.status == 405)
            #expect(try wrong.problem().code == "method_not_allowed")
            #expect(wrong.headers[.allow] == "GET, HEAD, POST")
            #expect(try await client.send(HTTPRequest.Method("BREW") ?? .trace, "/v1/notes").status == 405)
        }
    }

    @Test(arguments: [TestingSetup.router, .live])
    func `HEAD has the header fields of GET and no content`(_ setup: TestingSetup) async throws {
        try await withService(setup) { _, client in
            let note = try await created(client)
            let get = try await client.send(.get, "/v1/notes/\(note.id)")
            let head = try await client.send(.head, "/v1/notes/\(note.id)")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers[.contentLength] == "\(get.body.count)")
            #expect(head.headers[.eTag] == get.headers[.eTag])
            #expect(try await client.send(.head, "/v1/nothing").body.isEmpty)
        }
    }

    @Test func `an escaped path names the same resource and a slash inside a segment stays inside`() async throws {
        try await withService { _, client in
            let note = try await created(client)
            #expect(try await client.send(.get, "/v1/n%6Ftes/\(note.id)").status == 200)
            let problem = try await client.send(.get, "/v1/notes/a%2Fb%20%C3%BC").problem()
            #expect(problem.detail == "There is no note 'a/b ü'.")
        }
    }

    @Test(arguments: ["/v1/notes/%", "/v1/notes/%zz", "/v1/notes/%ff", "/v1/notes/%00", "/v1/notes/a%00b"])
    func `a path that is no text is 400`(_ path: String) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, path)
            #expect(reply.status == 400)
            #expect(try reply.problem().code == "invalid_path")
        }
    }

    @Test(arguments: [
        ("limit=ten", "limit"), ("limit=1&limit=2", "limit"), ("level=1&level=x", "level"), ("urgent=maybe", "urgent"),
        ("since=yesterday", "since"), ("limit=99999999999999999999", "limit"), ("limit=", "limit"),
        ("limit=1.5", "limit"),
    ])
    func `query garbage is 400 and names the item`(_ query: String, _ field: String) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/notes?\(query)")
            #expect(reply.status == 400)
            #expect(try reply.problem().errors?.map(\.field) == [field])
        }
    }

    @Test func `bodies that do not fit are 422 with the field, 400 when unreadable, 415 in another type`() async throws
    {
        try await withService { _, client in
            func post(_ json: String) async throws -> Problem {
                try await client.send(.post, "/v1/notes", json: json).problem()
            }
            #expect(try await post(#"{"text":7,"level":1}"#).status == 422)
            #expect(
                try await post(#"{"text":7,"level":1}"#).errors == [
                    FieldError(field: "text", message: "must be a string")
                ])
            #expect(try await post(#"{"level":1}"#).errors?.first?.field == "text")
            #expect(try await post(#"{"text":"a","level":9223372036854775808}"#).errors?.first?.field == "level")
            #expect(try await post(#"{"text":"a","level":1,"seen_at":"soon"}"#).errors?.first?.field == "seen_at")
            #expect(try await post(#"{"text":"#).status == 400)
            #expect(try await post(#"{"text":"a\(","level":1}"#).status == 400)
            #expect(try await post(#"[]"#).status == 422)
            let missing = try await client.send(.post, "/v1/notes")
            #expect(missing.status == 422)
            for type in ["text/plain", "application/xml", "", "application/jsonx", "multipart/form-data"] {
                let reply = try await client.send(
                    .post, "/v1/notes", body: Data(#"{"text":"a","level":1}"#.utf8), type: type)
                #expect(reply.status == 415, "\(type)")
                #expect(try reply.problem().code == "unsupported_media_type")
            }
            let charset = try await client.send(
                .post, "/v1/notes", body: Data(#"{"text":"a","level":1}"#.utf8), type: "application/json; charset=utf-8"
            )
            #expect(charset.status == 201)
        }
    }

    @Test func `a form is read by a stock client's rules`() async throws {
        try await withService { _, client in
            func send(_ form: String) async throws -> Reply {
                try await client.send(
                    .post, "/v1/forms", as: nil, body: Data(form.utf8), type: "application/x-www-form-urlencoded")
            }
            let stock = try await send("grant_type=refresh+token&token=a%26b")
            #expect(try stock.decoded(EchoPayload.self).text == "refresh token")
            #expect(try await send("grant_type=a&grant_type=b").status == 422)
            #expect(try await send("token=a").status == 422)
            #expect(try await send("grant_type=%zz").status == 400)
            #expect(try await send("grant_type=%00").status == 400)
            #expect(try await client.send(.post, "/v1/forms", as: nil, json: #"{"grant_type":"x"}"#).status == 200)
        }
    }

    @Test func `a page links to the next one and the last page does not`() async throws {
        try await withService { _, client in
            for index in 1...3 { _ = try await created(client, text: "note \(index)") }
            let first = try await client.send(.get, "/v1/notes?limit=2&level=3&cursor=")
            let page = try first.decoded(CursorPage<NotePayload>.self)
            let cursor = try #require(page.nextCursor)
            #expect(
                first.headers[HTTPField.Name("Link")!] == "</v1/notes?limit=2&level=3&cursor=\(cursor)>; rel=\"next\"")
            let second = try await client.send(.get, "/v1/notes?limit=2&level=3&cursor=\(cursor)")
            #expect(second.headers[HTTPField.Name("Link")!] == nil)
            #expect(try second.decoded(CursorPage<NotePayload>.self).items.count == 1)
            #expect(second.text.contains("\"next_cursor\":null"))
        }
    }

    @Test(arguments: [TestingSetup.router, .live])
    func `a current copy is confirmed with 304`(_ setup: TestingSetup) async throws {
        try await withService(setup) { _, client in
            let note = try await created(client)
            let tag = "\"\(note.version)\""
            for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let reply = try await client.send(.get, "/v1/notes/\(note.id)", headers: [.ifNoneMatch: field])
                #expect(reply.status == 304, "\(field)")
                #expect(reply.body.isEmpty)
                #expect(reply.headers[.eTag] == tag)
                #expect(reply.headers[.cacheControl] == "private, no-cache")
            }
            let other = try await client.send(.get, "/v1/notes/\(note.id)", headers: [.ifNoneMatch: "\"0\""])
            #expect(other.status == 200)
        }
    }

    @Test func `an edit is accepted from any state, and from one of several`() async throws {
        try await withService { _, client in
            let path = "/v1/notes/\(try await created(client).id)"
            let body = #"{"text":"other","level":1}"#
            let any = try await client.send(.put, path, headers: [.ifMatch: "*"], json: body)
            #expect(any.status == 200)
            let tag = try #require(any.headers[.eTag])
            var several: HTTPFields = [.ifMatch: "\"999\", \"a,b\""]
            #expect(try await client.send(.put, path, headers: several, json: body).status == 412)
            several.append(HTTPField(name: .ifMatch, value: "W/\"1\" , \(tag)"))
            #expect(try await client.send(.put, path, headers: several, json: body).status == 200)
            let missing = try await client.send(.put, "/v1/notes/nowhere", headers: [.ifMatch: "*"], json: body)
            #expect(missing.status == 404)
        }
    }

    @Test func `an edit needs the current version`() async throws {
        try await withService { _, client in
            let note = try await created(client)
            let body = #"{"text":"other","level":1}"#
            let path = "/v1/notes/\(note.id)"
            #expect(try await client.send(.put, path, json: body).problem().code == "if_match_required")
            #expect(try await client.send(.put, path, json: body).status == 428)
            let stale = try await client.send(.put, path, headers: [.ifMatch: "\"999\""], json: body)
            #expect(stale.status == 412)
            #expect(stale.headers[.eTag] == "\"\(note.version)\"")
            let weak = try await client.send(.put, path, headers: [.ifMatch: "W/\"\(note.version)\""], json: body)
            #expect(weak.status == 412)
            for garbage in ["5", "\"a", "**", "\"1\" \"2\"", ",", "\"1\", *"] {
                #expect(
                    try await client.send(.put, path, headers: [.ifMatch: garbage], json: body).status == 400,
                    "\(garbage)")
            }
        }
    }

    @Test func `a response with a secret is stored by no cache`() async throws {
        try await withService { _, client in
            let key = HTTPField.Name("Idempotency-Key")!
            let first = try await client.send(.post, "/v1/keys", headers: [key: "k"])
            #expect(first.headers[.cacheControl] == "no-store")
            let second = try await client.send(.post, "/v1/keys", headers: [key: "k"])
            #expect(second.body != first.body)
        }
    }

    @Test func `a service with an endpoint of another JSON form does not start, and says which`() async throws {
        struct Foreign: FeatureService {
            struct ReadSale: RoutedEndpoint {
                static let route = Route.get("/v1/sale")
                static var json: JSONForm { .asDeclared(dates: .secondsSince1970) }
                typealias Response = EchoPayload
            }
            let migrations: [StoreMigration] = []
            func mount(on routes: inout APIRoutes) {
                routes.handle(ReadSale.self, for: .anyone) { _, _ in EchoPayload(text: "a") }
            }
        }
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let error = #expect(throws: ForeignJSONForm.self) {
                try ServiceApplication(
                    features: [Foreign()], store: service.store, authenticator: SampleAuthenticator())
            }
            #expect(error?.description.contains("'GET /v1/sale'") == true)
            try await service.close()
        }
    }

    @Test func `a service with an endpoint whose CodingKeys leave out a part does not start, and says which`()
        async throws
    {
        struct Forgetful: FeatureService {
            struct ListSales: RoutedEndpoint {
                static let route = Route.get("/v1/sales")
                typealias Response = EchoPayload
                @Query var limit = 10
                @Query var shop: String?
                enum CodingKeys: String, CodingKey { case limit }
            }
            let migrations: [StoreMigration] = []
            func mount(on routes: inout APIRoutes) {
                routes.handle(ListSales.self, for: .anyone) { _, _ in EchoPayload(text: "a") }
            }
        }
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let error = #expect(throws: EndpointError.self) {
                try ServiceApplication(
                    features: [Forgetful()], store: service.store, authenticator: SampleAuthenticator())
            }
            #expect(
                error?.description
                    == "The endpoint is declared wrongly: 'ListSales.CodingKeys' name 1 of 2 parts, so the others would not be "
                    + "sent; they are among 'shop'.")
            try await service.close()
        }
    }

    @Test func `a service with two endpoints of one route does not start`() async throws {
        struct Twice: FeatureService {
            let migrations: [StoreMigration] = []
            func mount(on routes: inout APIRoutes) {
                routes.handle(OpenDoor.self, for: .anyone) { _, _ in EchoPayload(text: "a") }
                routes.handle(OpenDoor.self, for: .anyone) { _, _ in EchoPayload(text: "b") }
            }
        }
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            #expect(throws: DuplicateRoute.self) {
                try ServiceApplication(
                    features: [Twice()], store: service.store, authenticator: SampleAuthenticator())
            }
            try await service.close()
        }
    }
}
