import FoundationEssentials
import RunbooksDomain
import RunbooksService
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

/// A list has an entity tag, and a copy that is current is not sent again.
@Suite struct `Entity tags of the list of runbooks` {
    private func get(
        _ client: HTTPAPIClient, _ path: String = "/v1/runbooks", _ method: StrataDomain.HTTPMethod = .get,
        unless tags: String? = nil
    ) async throws -> RawResponse {
        let headers: HeaderFields = tags.map { ["If-None-Match": $0] } ?? [:]
        let request = RawRequest(method, path, headers: headers)
        return try await client.collect(request, upTo: 1 << 24, options: CallOptions()) { _ in }
    }

    private func tag(_ response: RawResponse) throws -> String { try #require(response.head.headers["ETag"]) }

    private func create(_ client: HTTPAPIClient, _ title: String, _ body: String = "x") async throws -> Stored<Runbook>
    {
        try await client.send(CreateEntity(Runbook(title: title, body: body)))
    }

    @Test func `a condition is judged for GET and HEAD, by weak comparison, as a list and as an asterisk`() async throws
    {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            _ = try await create(client, "a")
            let whole = try await get(client)
            let tag = try tag(whole)
            #expect(whole.head.status == 200 && tag.wholeMatch(of: /"[0-9a-f]{16}"/) != nil)
            for method in [StrataDomain.HTTPMethod.get, .head] {
                for current in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let response = try await get(client, "/v1/runbooks", method, unless: current)
                    #expect(response.head.status == 304 && response.bytes.isEmpty, "\(method) \(current)")
                    #expect(response.head.headers["ETag"] == tag)
                    #expect(response.head.headers["Cache-Control"] == "private, no-cache")
                    #expect(response.head.headers["Content-Type"] == nil)
                }
                for other in ["\"x\"", "\"\"", "x"] {
                    let response = try await get(client, "/v1/runbooks", method, unless: other)
                    #expect(response.head.status == 200 && response.head.headers["ETag"] == tag)
                    #expect(response.bytes == (method == .head ? Data() : whole.bytes))
                }
            }
        }
    }

    @Test func `each change of a row changes the tag, and the old one gets the new list`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            var tags: [String] = []
            func expectNewTag(_ titles: [String]) async throws {
                let response = try await get(client, unless: tags.last)
                #expect(response.head.status == 200)
                let page = try WireJSON.decode(CursorPage<Stored<Runbook>>.self, from: response.bytes)
                #expect(page.items.map(\.title) == titles)
                #expect(!tags.contains(try tag(response)))
                tags.append(try tag(response))
            }
            try await expectNewTag([])
            let one = try await create(client, "one")
            try await expectNewTag(["one"])
            let two = try await client.send(
                UpdateEntity(id: one.id, ifMatch: one.entityTag, to: Runbook(title: "two", body: "x")))
            try await expectNewTag(["two"])
            // The content of before, in a version of its own.
            let again = try await client.send(
                UpdateEntity(id: one.id, ifMatch: two.entityTag, to: Runbook(title: "one", body: "x")))
            try await expectNewTag(["one"])
            _ = try await client.send(DeleteEntity<Runbook>(id: one.id, ifMatch: again.entityTag))
            #expect(try await get(client, unless: tags.last).head.status == 200)
            #expect(try await get(client, unless: tags.first).head.status == 304, "the list is empty again")
        }
    }

    @Test func `each page has a tag of its own, which stands for the link to the next page`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            _ = try await create(client, "a")
            _ = try await create(client, "b")
            let last = try await create(client, "c")
            let first = try await get(client, "/v1/runbooks?limit=2")
            let link = try #require(first.head.headers["Link"])
            let next = String(link.dropFirst().prefix { $0 != ">" })
            let second = try await get(client, next)
            #expect(try tag(first) != tag(second) && second.head.headers["Link"] == nil)
            #expect(try await get(client, "/v1/runbooks?limit=2", unless: tag(first)).head.status == 304)
            #expect(try await get(client, next, unless: tag(second)).head.status == 304)
            #expect(try await get(client, next, unless: tag(first)).head.status == 200)

            // The rows of the first page are as they were, but no page follows it.
            _ = try await client.send(DeleteEntity<Runbook>(id: last.id, ifMatch: last.entityTag))
            let alone = try await get(client, "/v1/runbooks?limit=2", unless: tag(first))
            #expect(alone.head.status == 200 && alone.head.headers["Link"] == nil)
        }
    }

    @Test func `a request that is refused is refused with a condition, too`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let tag = try tag(await get(client))
            for condition in [tag, "*"] {
                #expect(try await get(backend.anonymous(), unless: condition).head.status == 401)
                #expect(try await get(backend.machine(), unless: condition).head.status == 403)
                #expect(try await get(client, "/v1/runbooks?cursor=x", unless: condition).head.status == 400)
                #expect(try await get(client, "/v1/runbooks?limit=0", unless: condition).head.status == 422)
            }
        }
    }

    @Test func `a page that is sent in pieces has a tag as well`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let body = String(repeating: "x", count: 200_000)
            for number in 0..<4 { _ = try await create(client, "r\(number)", body) }
            let whole = try await get(client)
            #expect(whole.bytes.count > 800_000)
            let current = try await get(client, unless: tag(whole))
            #expect(current.head.status == 304 && current.bytes.isEmpty)
        }
    }

    @Test func `the tag is the same after a restart`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.file("data.db")
        let before = try await withBackend(RunbooksService(), at: path) { backend in
            let client = try backend.client()
            _ = try await create(client, "a")
            return try tag(await get(client))
        }
        // With PostgreSQL each store is a database of its own.
        guard StoreEngine.chosen.isSQLite else { return }
        try await withBackend(RunbooksService(), at: path) { backend in
            let after = try await get(backend.client(), unless: before)
            #expect(after.head.status == 304)
        }
    }

    @Test func `a stale list costs one request without a body, and its rows stay as they are stored`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let meter = Meter()
            let clock = ManualWallClock()
            let reader = CachedReader(cache: TwoTierCache(directory: nil, clock: clock), clock: clock)
            let runbooks = CachedEntityRepository<Runbook>(
                remote: RemoteEntityRepository(
                    client: try backend.client { meter.measuring($0) }, command: "shiftlog runbooks"),
                reader: reader, principal: "one")
            let plain = try backend.client()
            let a = try await create(plain, "a", String(repeating: "x", count: 10_000))
            #expect(try await runbooks.list(.cacheFirst).value == [a])
            #expect(meter.take() == ["200, 10"])

            clock.advance(by: .seconds(301))
            #expect(try await runbooks.list(.cacheFirst).value == [a])
            await reader.drain(upTo: .seconds(5))
            #expect(meter.take() == ["304, 0"])
            #expect(try await runbooks.list(.cacheFirst).origin == .cache(storedAt: clock.now))
            #expect(meter.take() == [])

            let changed = try await plain.send(
                UpdateEntity(id: a.id, ifMatch: a.entityTag, to: Runbook(title: "b", body: "y")))
            #expect(try await runbooks.list(.refresh).value == [changed])
            #expect(meter.take() == ["200, 0"])
            // A command with --refresh asks, and gets a 304 as well.
            #expect(try await runbooks.list(.refresh).origin == .server)
            #expect(meter.take() == ["304, 0"])
        }
    }
}

/// Notes status and size, in kB, of the responses of a transport.
private final class Meter: Sendable {
    private let notes = Mutex<[String]>([])

    func take() -> [String] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }

    func measuring(_ base: any Transport) -> any Transport { Measured(base: base, meter: self) }

    private struct Measured: Transport {
        let base: any Transport
        let meter: Meter

        func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
            try await base.send(request) { [meter] response in
                let bytes = try await response.body.collect(upTo: 1 << 24)
                meter.notes.withLock { $0.append("\(response.head.status), \(bytes.count / 1000)") }
                try await receive(ClientResponse(response.head, body: ResponseBody(bytes)))
            }
        }
    }
}
