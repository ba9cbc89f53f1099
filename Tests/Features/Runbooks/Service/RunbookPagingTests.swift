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

    private func titles(_ client: HTTPAPIClient, _ query: EntityQuery<Runbook>) async throws -> [String] {
        var call = ListEntities(query)
        var titles: [String] = []
        for _ in 0..<100 {
            let page = try await client.send(call)
            titles += page.items.map(\.title)
            guard let cursor = page.nextCursor else { break }
            call.cursor = cursor
        }
        return titles
    }

    @Test func `a page ends before 1 MiB and the next one continues there`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            // Each 60 KB, and 120 KB as JSON.
            let body = String(repeating: "\"\n", count: 30_000)
            for number in 10..<40 { try await fill(client, Runbook(title: "r\(number)", body: body)) }
            var titles: [String] = []
            var call = ListEntities<Runbook>(limit: 200)
            var sizes: [Int] = []
            repeat {
                let page = try await client.send(call)
                #expect(try WireJSON.encode(page).count <= PageLimit.bytes)
                sizes.append(page.items.count)
                titles += page.items.map(\.title)
                call.cursor = page.nextCursor
            } while call.cursor != nil && sizes.count < 30
            #expect(sizes == [8, 8, 8, 6])
            #expect(titles == (10..<40).map { "r\($0)" })
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
            #expect(try await titles(client, EntityQuery(search: text, limit: 2)) == found)
        }
    }
}
