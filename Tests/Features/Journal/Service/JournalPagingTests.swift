import FoundationEssentials
import JournalAPI
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

@Suite struct `Pages of the journal` {
    private func fill(_ client: HTTPAPIClient, _ drafts: [JournalDraft]) async throws {
        for draft in drafts { _ = try await client.send(CreateJournalEntry(draft)) }
    }

    private func walk(_ client: HTTPAPIClient, _ call: ListJournalEntries) async throws -> [[Stored<JournalEntry>]] {
        var call = call
        var pages: [[Stored<JournalEntry>]] = []
        repeat {
            let page = try await client.send(call)
            pages.append(page.items)
            call.cursor = page.nextCursor
        } while call.cursor != nil && pages.count < 100
        return pages
    }

    @Test(arguments: [1, 2, 3, 7, 12, 13, 500])
    func `the pages hold every entry once, newest first`(limit: Int) async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            // Several at the same time: the id decides.
            try await fill(
                client,
                (0..<12).map { number in
                    JournalDraft(
                        id: JournalEntry.ID("e\(number % 4)\(number)"), host: "web1", text: "\(number)",
                        occurredAt: .newYear.addingTimeInterval(Double(number / 4)))
                })
            let pages = try await walk(client, ListJournalEntries(limit: limit))
            let entries = pages.flatMap(\.self)
            #expect(Set(entries.map(\.id)).count == 12)
            #expect(entries.count == 12)
            let order = entries.map { ($0.occurredAt, $0.id.rawValue) }
            #expect(zip(order, order.dropFirst()).allSatisfy { $1 < $0 })
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
        }
    }

    @Test func `a page ends before 1 MiB and the next one continues there`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let text = String(repeating: "\n", count: 16_000)
            try await fill(
                client, (0..<70).map { JournalDraft(host: "web1", text: "\($0)\(text)", occurredAt: .newYear) })
            let pages = try await walk(client, ListJournalEntries(limit: 500))
            #expect(pages.map(\.count) == [32, 32, 6])
            for page in pages { #expect(try WireJSON.encode(page).count <= PageLimit.bytes) }
            #expect(Set(pages.joined().map(\.id)).count == 70)
        }
    }

    @Test func `an entry that comes or goes between two pages moves no other`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            try await fill(
                client,
                (0..<6).map { number in
                    JournalDraft(
                        id: JournalEntry.ID("e\(number)"), host: "web1", text: "\(number)",
                        occurredAt: .newYear.addingTimeInterval(Double(number)))
                })
            let first = try await client.send(ListJournalEntries(limit: 2))
            #expect(first.items.map(\.text) == ["5", "4"])
            _ = try await client.send(DeleteEntity<JournalEntry>(id: JournalEntry.ID("e4"), ifMatch: nil))
            try await fill(
                client, [JournalDraft(host: "web1", text: "new", occurredAt: .newYear.addingTimeInterval(60))])
            let second = try await client.send(ListJournalEntries(cursor: first.nextCursor, limit: 2))
            #expect(second.items.map(\.text) == ["3", "2"])
        }
    }

    @Test func `a filter by time, host and severity holds across pages`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            try await fill(
                client,
                (0..<20).map { number in
                    JournalDraft(
                        host: "web\(number % 2)", severity: number % 4 < 2 ? .critical : .info, text: "\(number)",
                        occurredAt: .newYear.addingTimeInterval(Double(number)))
                })
            let call = ListJournalEntries(
                limit: 2, since: .newYear.addingTimeInterval(4),
                filters: ["host": .string("web1"), "severity": .string("critical")])
            #expect(try await walk(client, call).flatMap(\.self).map(\.text) == ["17", "13", "9", "5"])
            #expect(try await client.send(ListJournalEntries(filters: ["host": .string("WEB1")])).items.isEmpty)
        }
    }

    @Test func `a search finds a part of the text literally, across pages and with filters`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let texts = ["Disk full", "50% wet", "disk_2", "Ärger"]
            try await fill(
                client,
                texts.enumerated().map { number, text in
                    JournalDraft(
                        host: "web\(number % 2)", text: text, occurredAt: .newYear.addingTimeInterval(Double(number)))
                })
            let found = { (q: String, filters: [String: JSONValue]) in
                try await walk(client, ListJournalEntries(limit: 1, q: q, filters: filters)).flatMap(\.self).map(\.text)
            }
            let expected = [
                ("DISK", ["disk_2", "Disk full"]), ("%", ["50% wet"]), ("_", ["disk_2"]), ("Är", ["Ärger"]), ("är", []),
            ]
            for (q, texts) in expected { #expect(try await found(q, [:]) == texts, "\(q)") }
            #expect(try await found("disk", ["host": .string("web1")]).isEmpty)
            for q in ["", String(repeating: "x", count: 201)] {
                let refused = await problem { try await client.send(ListJournalEntries(q: q)) }
                #expect(refused?.status == 422 && refused?.errors?.map(\.field) == ["q"])
            }
        }
    }

    @Test func `a page links to the next one`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            try await fill(
                client, (0..<2).map { JournalDraft(host: "web1", text: "\($0)", occurredAt: .newYear) })
            let page = try await client.response(
                to: ListJournalEntries(limit: 1, filters: ["host": .string("web1")]), options: CallOptions())
            let link = try #require(page.head.headers["Link"])
            #expect(link.contains("rel=\"next\""))
            #expect(link.contains("limit=1") && link.contains("host=web1"))
        }
    }

    @Test(arguments: [0, -1, 501, Int.max, Int.min])
    func `a limit out of range is refused by field`(limit: Int) async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let refused = await problem { try await client.send(ListJournalEntries(limit: limit)) }
            #expect(refused?.status == 422)
            #expect(refused?.errors?.map(\.field) == ["limit"])
        }
    }

    @Test(arguments: [
        "", " ", "garbage", "e30", "WyJqb3VybmFsIl0", "WyJydW5ib29rcyIsImEiLCJiIl0", "WyJqb3VybmFsIiwibm93IiwiYiJd",
        "AAAA====", String(repeating: "A", count: 5000),
    ])
    func `an invalid cursor is refused`(cursor: String) async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let refused = await problem { try await client.send(ListJournalEntries(cursor: cursor)) }
            #expect(refused?.status == 400)
            #expect(refused?.code == "invalid_cursor")
        }
    }

    @Test func `an invalid host is refused`() async throws {
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let refused = await problem {
                try await client.send(ListJournalEntries(filters: ["host": .string("a\u{0}b")]))
            }
            #expect(refused.map { (400..<500).contains($0.status) } == true)
        }
    }
}
