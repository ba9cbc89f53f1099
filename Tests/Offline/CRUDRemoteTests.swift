import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Answers calls by method and path with JSON, and keeps their options.
private final class TextClient: APIClient {
    struct Call: Sendable {
        var line: String
        var options: CallOptions
        var body: String
    }

    private let calls = Mutex<[Call]>([])
    private let answers: @Sendable (String) -> (HeaderFields, String)

    init(_ answers: @escaping @Sendable (String) -> (HeaderFields, String)) { self.answers = answers }

    var all: [Call] { calls.withLock { $0 } }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        do {
            let request = try endpoint.request()
            let line = "\(request.method.rawValue) \(request.target)"
            let body = String(decoding: request.body?.bytes ?? Data(), as: UTF8.self)
            calls.withLock { $0.append(Call(line: line, options: options, body: body)) }
            let (headers, text) = answers(line)
            if text.isEmpty { throw NetworkError(.notFound(nil)) }
            return APIResponse(
                head: ResponseHead(status: 200, headers: headers),
                value: try WireJSON.decode(E.Response.self, from: Data(text.utf8)))
        } catch { throw NetworkError(thrown: error) }
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result { throw NetworkError(.unexpected("no streams")) }
}

/// A REST resource from four closures.
@Suite struct CRUDRemoteTests {
    private static func remote(_ abilities: RemoteAbilities) -> CRUDRemote<Chore> {
        CRUDRemote(
            list: { try await $0.get("/chores") },
            create: { chore, client in try await client.post("/chores", body: chore) },
            update: { id, chore, client in try await client.put("/chores/{id}", ["id": id], body: chore) },
            delete: { id, client in try await client.delete("/chores/{id}", ["id": id]) },
            get: { id, client in try await client.get("/chores/{id}", ["id": id]) },
            revision: "updated_at", abilities: abilities)
    }

    @Test func `the list is read with ids, revisions and content`() async throws {
        let client = TextClient { _ in
            (
                ["Date": "Sat, 21 Nov 2026 09:00:00 GMT"],
                #"[{"id":7,"text":"milk","owner":"ada","updated_at":"2026-11-21T08:00:00"},{"id":"8","gone":true}]"#
            )
        }
        let abilities = RemoteAbilities(
            deltas: .since(field: "updated_at", overlap: .seconds(5)), deletions: .tombstoneField("gone"))
        let page = try await Self.remote(abilities).pull(PullPoint(.everything), with: client)
        #expect(page.deleted == ["8"])
        #expect(page.serverTime == Date(timeIntervalSince1970: 1_795_251_600))
        let row = try #require(page.rows.first)
        #expect(row.id == "7" && row.revision == "2026-11-21T08:00:00")
        #expect(row.modifiedAt == Date(timeIntervalSince1970: 1_795_248_000))
        #expect(row.fields == ["text": "milk"], "only the fields of the entity")
        #expect(client.all.first?.options.headers["Cache-Control"] == "no-cache")
    }

    @Test func `a write has the tag and the key, and the tag of the response is kept`() async throws {
        let client = TextClient { _ in (["ETag": "\"v2\""], #"{"id":7,"text":"oat milk"}"#) }
        let abilities = RemoteAbilities(precondition: .ifMatch, repeats: .idempotencyKey(header: "Idempotency-Key"))
        let write = RemoteWrite(
            id: "key-1", operation: .update, remoteID: "7", fields: ["text": "oat milk"], changes: ["text": "oat milk"],
            entityTag: "\"v1\"")
        let outcome = try await Self.remote(abilities).push(write, with: client)
        #expect(outcome == .stored(RemoteRow(id: "7", entityTag: "\"v2\"", fields: ["text": "oat milk"])))
        let call = try #require(client.all.first)
        #expect(call.line == "PUT /chores/7")
        #expect(call.options.headers["If-Match"] == "\"v1\"")
        #expect(call.options.idempotencyKey == "key-1")
        #expect(call.body == #"{"text":"oat milk"}"#)
    }

    /// The entity of the guide.
    struct Note: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<Note>] = [.init("text", \.text, .line(1...200))]
        var text: String
    }

    /// `Docs/Guides/Offline-any-API.md` shows these lines.
    @Test func `four closures are the whole set-up`() async throws {
        let client = TextClient { line in
            switch line {
            case "GET /notes": ([:], #"[{"id":7,"text":"bread"},{"id":8,"text":"oat milk"}]"#)
            case "POST /notes": ([:], #"{"id":8,"text":"oat milk"}"#)
            default: ([:], "")
            }
        }
        let directory = try TemporaryDirectory()
        let path = directory.path
        let offline = try Offline(at: path, client: client)
        let notes = try offline.collection(
            Note.self,
            CRUDRemote(
                list: { try await $0.get("/notes") },
                create: { note, client in try await client.post("/notes", body: note) },
                update: { id, note, client in try await client.put("/notes/{id}", ["id": id], body: note) },
                delete: { id, client in try await client.delete("/notes/{id}", ["id": id]) }))
        let id = try await notes.create(Note(text: "milk"))  // stored and queued
        try await notes.update(id) { $0.text = "oat milk" }
        let report = try await offline.sync()  // sends, then fetches
        #expect(report.sent == 1 && report.received == 1)
        #expect(try await notes.remoteID(of: id) == "8")
        #expect(client.all.map(\.line) == ["POST /notes", "GET /notes"])

        let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
        let show = { (rows: [Stored<Note>]) in _ = continuation.yield(rows.map(\.content.text).sorted()) }
        let following = Task {
            for try await rows in notes.rows() { show(rows) }  // now, and after each change
        }
        var screens = shown.makeAsyncIterator()
        #expect(await screens.next() == ["bread", "oat milk"])
        try await notes.delete(id)
        #expect(await screens.next() == ["bread"])
        following.cancel()
    }

    @Test func `a weak tag is not used`() async throws {
        let client = TextClient { _ in (["ETag": "W/\"v2\""], #"{"id":7,"text":"milk"}"#) }
        let rows = try await Self.remote(RemoteAbilities()).find(.row("7"), with: client)
        #expect(rows.map(\.entityTag) == [nil])
    }

    @Test func `a row that is not there is found nowhere`() async throws {
        let client = TextClient { line in ([:], line.hasSuffix("/7") ? "" : "[]") }
        #expect(try await Self.remote(RemoteAbilities()).find(.row("7"), with: client).isEmpty)
    }

    @Test func `a row without an id is an error that says what to state`() async throws {
        let client = TextClient { _ in ([:], #"[{"key":7,"text":"milk"}]"#) }
        await #expect { try await Self.remote(RemoteAbilities()).pull(PullPoint(.everything), with: client) } throws: {
            "\($0)".contains("'id:'")
        }
    }

    @Test(arguments: [
        (NetworkError.Kind.timeout, PushVerdict.retry()), (.server(503, nil), .retry()),
        (.rateLimited(retryAfter: .seconds(9)), .retry(after: .seconds(9))), (.unauthorized(nil), .pause),
        (.forbidden(nil), .reject(nil)), (.conflict(nil), .conflict), (.validation(nil), .reject(nil)),
        (.notFound(nil), .gone), (.status(410, nil), .gone), (.status(405, nil), .reject(nil)),
        (.status(408, nil), .retry()),
    ])
    func `a verdict follows from the status`(kind: NetworkError.Kind, verdict: PushVerdict) {
        let write = RemoteWrite(id: "m", operation: .update, remoteID: "7")
        #expect(Self.remote(RemoteAbilities()).verdict(on: NetworkError(kind), for: write) == verdict)
    }

    @Test func `a row in pages that shift is looked for twice`() async throws {
        let lists = Mutex(0)
        let remote = CRUDRemote<Chore>(
            pages: { point, _ in
                let count = lists.withLock { count in
                    count += 1
                    return count
                }
                // The first list misses the row.
                let rows = count == 3 ? [Remote(id: "7", Chore(text: "milk"))] : []
                return RemoteList(rows, next: point.page == nil ? "2" : nil)
            },
            create: { _, _ in throw NetworkError(.unexpected("not called")) },
            update: { _, _, _ in throw NetworkError(.unexpected("not called")) },
            delete: { _, _ in throw NetworkError(.unexpected("not called")) })
        let client = TextClient { _ in ([:], "") }
        #expect(try await remote.find(.row("7"), with: client).map(\.id) == ["7"])
        #expect(lists.withLock { $0 } == 4)
    }
}
