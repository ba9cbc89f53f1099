import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import Testing

/// What follows from the fields is tested by the contract; tests of what is particular to runbooks stand here.
struct RunbookTests {
    @Test func `runbooks keep the contract of an entity`() async throws {
        let failures = try await EntityContract<Runbook>(RunbooksService()).failures()
        #expect(failures == [])
    }

    @Test(arguments: [
        (Runbook(title: "", body: "b"), "title"), (Runbook(title: "a\nb", body: "b"), "title"),
        (Runbook(title: String(repeating: "x", count: 201), body: "b"), "title"),
        (Runbook(title: "A", body: ""), "body"), (Runbook(title: "A", body: "\u{7}"), "body"),
        (Runbook(title: "A", body: String(repeating: "x", count: 262_145)), "body"),
        (Runbook(title: "A", body: "b", tags: ["Disk"]), "tags.0"),
        (Runbook(title: "A", body: "b", tags: ["a", "a b"]), "tags.1"),
        (Runbook(title: "A", body: "b", tags: [""]), "tags.0"),
        (Runbook(title: "A", body: "b", tags: [String(repeating: "x", count: 41)]), "tags.0"),
        (Runbook(title: "A", body: "b", tags: ["a", "a"]), "tags"),
        (Runbook(title: "A", body: "b", tags: (0..<21).map { "t\($0)" }), "tags"),
    ])
    func `a runbook that breaks a rule is refused by field, before it is sent and by the server`(
        runbook: Runbook, field: String
    ) async throws {
        let error = #expect(throws: DomainError.self) { try runbook.validated() }
        guard case .validation(_, let fields) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fields.map(\.field) == [field])
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = await problem { try await client.send(CreateEntity(runbook)) }
            #expect(created?.status == 422 && created?.errors?.map(\.field) == [field])
            let update = UpdateEntity(id: Runbook.ID("x"), ifMatch: EntityTag("1"), to: runbook)
            #expect(await problem { try await client.send(update) }?.status == 422)
        }
    }

    @Test func `a list is sorted by title, then id`() {
        let items: [Stored<Runbook>] = [
            .sample("r2", title: "B"), .sample("r3", title: "A"), .sample("r1", title: "B"),
        ]
        #expect(EntityQuery().entities(of: items).map(\.id.rawValue) == ["r3", "r1", "r2"])
    }
}
