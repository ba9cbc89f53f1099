import FoundationEssentials
import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import Testing

@Suite struct `Pages of runbooks` {
    private func fill(_ client: HTTPAPIClient, _ drafts: Runbook...) async throws {
        for draft in drafts { _ = try await client.send(CreateEntity(draft)) }
    }

    private func titles(_ client: HTTPAPIClient, _ call: ListRunbooks) async throws -> [String] {
        var call = call
        var titles: [String] = []
        for _ in 0..<100 {
            let page = try await client.send(call)
            titles += page.items.map(\.title)
            guard let cursor = page.nextCursor else { break }
            call.cursor = cursor
        }
        return titles
    }

    @Test(arguments: [1, 2, 3, 4, 5, 200])
    func `the pages hold every runbook once by title, equal titles too`(limit: Int) async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            try await fill(
                client, Runbook(title: "b", body: "x"), Runbook(title: "a", body: "x"),
                Runbook(title: "b", body: "y"), Runbook(title: "b", body: "z"),
                Runbook(title: "ä \"' \\", body: "x"))
            #expect(try await titles(client, ListRunbooks(limit: limit)) == ["a", "b", "b", "b", "ä \"' \\"])
        }
    }

    @Test(arguments: [
        ("%", ["50% full"]), ("_", ["snake_case"]), ("!", ["wow!"]), ("\\", ["back\\slash"]), ("'", ["it's"]),
        ("50%", ["50% full"]), ("5%l", []), ("ÉTÉ", ["été"]), ("straße", ["Straße"]), ("STRAẞE", ["Straße"]),
        ("needle", ["it's"]), ("title\nbody", []), ("--", []), ("'; DROP TABLE runbook; --", []),
    ])
    func `a filter finds text literally, in any case`(text: String, found: [String]) async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            try await fill(
                client, Runbook(title: "50% full", body: "x"), Runbook(title: "snake_case", body: "x"),
                Runbook(title: "wow!", body: "x"), Runbook(title: "back\\slash", body: "x"),
                Runbook(title: "it's", body: "a NEEDLE"), Runbook(title: "été", body: "x"),
                Runbook(title: "Straße", body: "x"))
            #expect(try await titles(client, ListRunbooks(limit: 2, q: text)) == found)
        }
    }

    @Test func `a filter finds whole tags only`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            try await fill(
                client, Runbook(title: "a", body: "x", tags: ["disk", "db-1"]),
                Runbook(title: "b", body: "disk", tags: ["disk-full"]), Runbook(title: "c", body: "x"))
            #expect(try await titles(client, ListRunbooks(tag: "disk")) == ["a"])
            #expect(try await titles(client, ListRunbooks(tag: "db-1")) == ["a"])
            #expect(try await titles(client, ListRunbooks(tag: "db")) == [])
            #expect(try await titles(client, ListRunbooks(tag: "disk-full", q: "DISK")) == ["b"])
        }
    }

    @Test func `the order can be turned, also across pages and with filters`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            for title in ["b", "a", "c", "b"] {
                try await fill(client, Runbook(title: title, body: "x", tags: ["disk"]))
            }
            #expect(try await titles(client, ListRunbooks(limit: 1, sort: "-title")) == ["c", "b", "b", "a"])
            #expect(
                try await titles(client, ListRunbooks(limit: 1, tag: "disk", sort: "title")) == ["a", "b", "b", "c"])
        }
    }

    @Test func `the client and the server have the same list`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            try await fill(
                client, Runbook(title: "Disk", body: "x", tags: ["disk"]),
                Runbook(title: "été", body: "DISK", tags: ["disk-full", "db"]), Runbook(title: "c_d", body: "100%"))
            let remote = RemoteEntityRepository<Runbook>(client: client, command: "shiftlog runbooks")
            let all = try await remote.list(EntityQuery(), .mustAsk).value
            let filters: [[String: JSONValue]] = [
                [:], ["tags": .array([.string("disk")])], ["tags": .array([.string("db")])],
            ]
            for filter in filters {
                for search in [nil, "disk", "ÉTÉ", "_", "%", "nothing"] {
                    for sort in [nil, "title", "-title"] {
                        let query = EntityQuery<Runbook>(
                            filters: filter, search: search, sort: sort.map { .init($0) }, limit: 2)
                        #expect(try await remote.list(query, .mustAsk).value == query.entities(of: all))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (ListRunbooks(limit: 0), "limit"), (ListRunbooks(sort: "body"), "sort"), (ListRunbooks(limit: 201), "limit"),
        (ListRunbooks(limit: .min), "limit"),
        (ListRunbooks(tag: "disk db"), "tag"), (ListRunbooks(tag: "%"), "tag"), (ListRunbooks(tag: ""), "tag"),
        (ListRunbooks(q: ""), "q"), (ListRunbooks(q: String(repeating: "x", count: 201)), "q"),
    ])
    func `an invalid filter is refused by field`(call: ListRunbooks, field: String) async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let refused = await problem { try await client.send(call) }
            #expect(refused?.status == 422)
            #expect(refused?.errors?.map(\.field) == [field])
        }
    }

    @Test func `a text with NUL and an invalid cursor are refused`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            for call in [ListRunbooks(q: "a\u{0}b"), ListRunbooks(tag: "\u{0}")] {
                #expect(await problem { try await client.send(call) }.map { (400..<500).contains($0.status) } == true)
            }
            for cursor in ["", "x", "WyJqb3VybmFsIiwiYSIsImIiXQ"] {
                #expect(await problem { try await client.send(ListRunbooks(cursor: cursor)) }?.code == "invalid_cursor")
            }
        }
    }
}
