import FoundationEssentials
import RunbooksDomain
import RunbooksService
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Runbooks, client to backend and back` {
    private let draft = Runbook(
        title: "Disk \"full\" 100% 🚒", body: "# Steps\r\n\t1. `df -h` \\ \u{2028} é", tags: ["disk", "db-1"])

    private func create(_ client: HTTPAPIClient, _ runbook: Runbook) async throws -> Stored<Runbook> {
        try await client.send(CreateEntity(runbook))
    }

    @Test func `of 50 updates of one version exactly one wins`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await create(client, draft)
            let wins = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let new = Runbook(title: "Writer \(number)", body: "b")
                        let call = UpdateEntity(id: created.id, ifMatch: created.entityTag, to: new)
                        return (try? await client.send(call)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(wins == 1)
            #expect(try await client.send(GetEntity<Runbook>(id: created.id)).version > created.version)
        }
    }

    @Test func `a write whose answer was lost takes effect once`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let plain = try backend.client()
            let reader = CachedReader(cache: TwoTierCache(directory: nil))
            func repository() throws -> CachedEntityRepository<Runbook> {
                .init(try backend.client { FaultyTransport($0, losingAnswers: 1) }, reader)
            }
            let created = try await repository().create(draft)
            #expect(try await plain.send(ListEntities<Runbook>()).items == [created])

            let updated = try await repository().update(created.id, to: draft, basedOn: 1)
            #expect(updated.version == 2)

            try await repository().delete(created.id, basedOn: 2)
            #expect(try await plain.send(ListEntities<Runbook>()).items.isEmpty)
        }
    }

    @Test func `the longest body fits`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let body = String(repeating: "\"", count: 262_144)
            let created = try await create(backend.client(), Runbook(title: "A", body: body))
            #expect(created.body == body)
        }
    }
}

extension CachedEntityRepository<Runbook> {
    fileprivate init(_ client: any APIClient, _ reader: CachedReader) {
        self.init(
            remote: RemoteEntityRepository(client: client, command: "shiftlog runbooks"), reader: reader,
            principal: "one")
    }
}
