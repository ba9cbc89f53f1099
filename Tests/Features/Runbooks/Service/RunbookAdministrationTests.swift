import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataService
import Testing

@Suite struct `Runbooks on the page of administration` {
    @Test func `all rows come in pages, each value as text`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            for number in 10..<65 {
                _ = try await client.send(CreateEntity(Runbook(title: "r\(number)", body: "<b>", tags: ["a", "b"])))
            }
            let table = try #require(RunbooksService().administered.first)
            #expect(table.name == "runbooks")
            let admin = Principal.user(.init(id: "root", username: "root", isAdmin: true, sessionId: "s"))
            let first = try await backend.store.read { try table.administered(after: nil, for: admin, in: $0) }
            let cursor = try #require(first.nextCursor)
            let second = try await backend.store.read { try table.administered(after: cursor, for: admin, in: $0) }
            #expect(first.rows.count == 50 && second.rows.count == 5 && second.nextCursor == nil)
            #expect(first.columns.first == "id" && first.columns.last == "updated_at")
            let (title, tags) = (first.columns.firstIndex(of: "title"), first.columns.firstIndex(of: "tags"))
            let rows = first.rows + second.rows
            #expect(try Set(rows.map { $0[try #require(title)] }) == Set((10..<65).map { "r\($0)" }))
            #expect(try rows.allSatisfy { $0[try #require(tags)] == #"["a","b"]"# && $0.count == first.columns.count })
            await #expect(throws: ServiceError.self) {
                try await backend.store.read { _ = try table.administered(after: "x", for: admin, in: $0) }
            }
        }
    }
}
