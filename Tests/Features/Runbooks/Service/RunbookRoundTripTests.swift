import FoundationEssentials
import RunbooksAPI
import RunbooksData
import RunbooksDomain
import RunbooksService
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Runbooks, client to backend and back` {
    private let draft = RunbookDraft(
        title: "Disk \"full\" 100% 🚒", body: "# Steps\r\n\t1. `df -h` \\ \u{2028} é", tags: ["disk", "db-1"])

    private func create(_ client: HTTPAPIClient, _ draft: RunbookDraft) async throws -> RunbookPayload {
        try await client.send(CreateRunbook(draft: RunbookDraftPayload(draft)))
    }

    @Test func `a created runbook comes back as it was sent, wherever it is read`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await client.response(
                to: CreateRunbook(draft: RunbookDraftPayload(draft)), options: CallOptions())
            #expect(created.head.status == 201)
            #expect(created.head.headers["ETag"] == "\"1\"")
            let runbook = created.value.runbook
            #expect((runbook.title, runbook.body, runbook.tags) == (draft.title, draft.body, draft.tags))
            #expect(runbook.version == 1)
            #expect(runbook.updatedAt == backend.clock.now)
            let shown = try await client.response(to: GetRunbook(id: runbook.id), options: CallOptions())
            #expect(shown.value == created.value)
            #expect(shown.head.headers["ETag"] == "\"1\"")
            #expect(try await client.send(ListRunbooks()).items == [created.value])
        }
    }

    @Test func `tags may be left out`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            var payload = RunbookDraftPayload(RunbookDraft(title: "A", body: "b"))
            payload.tags = nil
            #expect(try await client.send(CreateRunbook(draft: payload)).tags == [])
        }
    }

    @Test func `an update replaces everything and raises the version`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await create(client, draft)
            backend.clock.advance(by: .seconds(60))
            let new = RunbookDraft(title: "B", body: "c")
            let updated = try await client.send(
                UpdateRunbook(id: created.id, ifMatch: created.entityTag, draft: RunbookDraftPayload(new)))
            #expect((updated.title, updated.body, updated.tags) == ("B", "c", []))
            #expect(updated.version == 2)
            #expect(updated.updatedAt == backend.clock.now)
            #expect(try await client.send(GetRunbook(id: created.id)) == updated)
        }
    }

    @Test func `a write without If-Match is 428, with another version 412 and the current tag`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await create(client, draft)
            let payload = RunbookDraftPayload(draft)
            var update = UpdateRunbook(id: created.id, ifMatch: created.entityTag, draft: payload)
            var delete = DeleteRunbook(id: created.id, ifMatch: created.entityTag)
            update.ifMatch = nil
            delete.ifMatch = nil
            #expect(await problem { try await client.send(update) }?.code == "if_match_required")
            #expect(await problem { try await client.send(delete) }?.status == 428)
            for tag in [EntityTag("0"), EntityTag("2"), EntityTag("1", isWeak: true), EntityTag(""), EntityTag("01")] {
                update.ifMatch = IfMatch(tag)
                delete.ifMatch = IfMatch(tag)
                let refused = await problem { try await client.send(update) }
                #expect(refused?.status == 412)
                #expect(refused?.code == "version_mismatch")
                #expect(await problem { try await client.send(delete) }?.status == 412)
            }
            #expect(try await client.send(GetRunbook(id: created.id)) == created)
        }
    }

    @Test func `of 50 updates of one version exactly one wins`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await create(client, draft)
            let wins = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let new = RunbookDraft(title: "Writer \(number)", body: "b")
                        let call = UpdateRunbook(
                            id: created.id, ifMatch: created.entityTag, draft: RunbookDraftPayload(new))
                        return await problem { try await client.send(call) } == nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(wins == 1)
            #expect(try await client.send(GetRunbook(id: created.id)).version == 2)
        }
    }

    @Test func `a deleted runbook is gone`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let created = try await create(client, draft)
            let call = DeleteRunbook(id: created.id, ifMatch: created.entityTag)
            #expect(try await client.response(to: call, options: CallOptions()).head.status == 204)
            #expect(await problem { try await client.send(GetRunbook(id: created.id)) }?.status == 404)
            #expect(await problem { try await client.send(call) }?.status == 404)
            #expect(try await client.send(ListRunbooks()).items.isEmpty)
        }
    }

    @Test func `a write whose answer was lost takes effect once`() async throws {
        let draft = draft
        try await withBackend(RunbooksService()) { backend in
            let plain = try backend.client()
            let reader = CachedReader(cache: TwoTierCache(directory: nil))
            let repository = CachedRunbookRepository(
                client: try backend.client { FaultyTransport($0, losingAnswers: 1) }, reader: reader, principal: "ada")
            let created = try await repository.create(draft)
            #expect(try await plain.send(ListRunbooks()).items.map(\.runbook) == [created])

            let updating = CachedRunbookRepository(
                client: try backend.client { FaultyTransport($0, losingAnswers: 1) }, reader: reader, principal: "ada")
            let updated = try await updating.update(created.id, to: draft, basedOn: 1)
            #expect(updated.version == 2)

            let deleting = CachedRunbookRepository(
                client: try backend.client { FaultyTransport($0, losingAnswers: 1) }, reader: reader, principal: "ada")
            try await deleting.delete(created.id, basedOn: 2)
            #expect(try await plain.send(ListRunbooks()).items.isEmpty)
        }
    }

    @Test func `the cached repository over this backend keeps the promises of the port`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let reader = CachedReader(cache: TwoTierCache(directory: nil))
            let repository = CachedRunbookRepository(
                client: try backend.client(), reader: reader, principal: "ada")
            try await RunbookRepositoryContract(repository: repository).check()
        }
    }

    @Test func `two people edit one runbook and the second one is told`() async throws {
        try await withBackend(RunbooksService()) { backend in
            func runbooks(_ name: String) throws -> Runbooks {
                Runbooks(
                    CachedRunbookRepository(
                        client: try backend.client(as: name), reader: CachedReader(cache: TwoTierCache(directory: nil)),
                        principal: name))
            }
            let (ada, bob) = (try runbooks("ada"), try runbooks("bob"))
            let id = try await ada.create(RunbookDraft(title: "A", body: "one")).id
            _ = try await bob.get(id)
            _ = try await ada.update(id, RunbookEdit(body: "two"))
            await expect(.isConflict) { () throws(DomainError) in
                _ = try await bob.update(id, RunbookEdit(body: "three"))
            }
            _ = try await bob.get(id, policy: .refresh)
            #expect(try await bob.update(id, RunbookEdit(body: "three")).version == 3)
        }
    }

    @Test(arguments: [
        (RunbookDraft(title: "", body: "b"), "title"), (RunbookDraft(title: "a\nb", body: "b"), "title"),
        (RunbookDraft(title: "A", body: ""), "body"), (RunbookDraft(title: "A", body: "b", tags: ["A"]), "tags.0"),
        (RunbookDraft(title: "A", body: "b", tags: ["a", "a"]), "tags"),
        (RunbookDraft(title: "A", body: String(repeating: "x", count: 262_145)), "body"),
    ])
    func `a draft that breaks a rule is refused by field`(draft: RunbookDraft, field: String) async throws {
        try await withBackend(RunbooksService()) { backend in
            let client = try backend.client()
            let refused = await problem { try await create(client, draft) }
            #expect(refused?.status == 422)
            #expect(refused?.errors?.map(\.field) == [field])
            let update = UpdateRunbook(
                id: Runbook.ID("x"), ifMatch: EntityTag("1"), draft: RunbookDraftPayload(draft))
            #expect(await problem { try await client.send(update) }?.status == 422)
        }
    }

    @Test func `the longest body fits`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let body = String(repeating: "\"", count: 262_144)
            let created = try await create(backend.client(), RunbookDraft(title: "A", body: body))
            #expect(created.body == body)
        }
    }

    @Test func `a machine may not see runbooks`() async throws {
        try await withBackend(RunbooksService()) { backend in
            let machine = try backend.machine()
            #expect(await problem { try await machine.send(ListRunbooks()) }?.status == 403)
            #expect(
                await problem { try await create(machine, RunbookDraft(title: "A", body: "b")) }?.status == 403)
        }
    }
}
