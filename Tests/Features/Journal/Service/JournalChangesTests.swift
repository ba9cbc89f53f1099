import FoundationEssentials
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// Who changed an entry and when (SPEC B3).
@Suite struct `The changes of an entry` {
    private let entry = JournalEntry(host: "web1", severity: .warning, text: "disk full", occurredAt: .newYear)

    private func changes(
        of id: JournalEntry.ID, _ client: HTTPAPIClient, limit: Int? = nil, after cursor: String? = nil
    ) async throws -> CursorPage<EntityChange> {
        try await client.send(ListChanges<JournalEntry>(id: id, cursor: cursor, limit: limit))
    }

    private func push(_ client: HTTPAPIClient, _ mutation: Mutation) async throws {
        let results = try await client.send(
            PushMutations(batch: MutationBatch(clientId: "device", mutations: [mutation]))
        ).results
        #expect(results.map(\.status) == [.applied])
    }

    @Test func `each write has its author, its time and its fields, by REST and by synchronisation`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let (ada, bob) = (try backend.client(as: "ada"), try backend.client(as: "bob"))
            let created = try await ada.send(CreateEntity(entry))
            #expect(
                try await changes(of: created.id, bob).items == [
                    EntityChange(.create, version: created.version, at: created.updatedAt, author: "ada")
                ])
            backend.clock.now += 60
            let edit: [String: JSONValue] = ["text": .string("disk is full"), "severity": .string("critical")]
            let edited = try await bob.send(PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, edit))
            backend.clock.now += 60
            try await push(
                ada,
                Mutation(
                    id: "m1", clientSeq: 1, collection: JournalEntry.collection, entityId: created.id.rawValue,
                    operation: .patch, baseVersion: edited.version, fields: ["host": .string("web2")], at: .newYear))
            let last = try await ada.send(GetEntity<JournalEntry>(id: created.id))
            let expected = [
                EntityChange(.update, version: last.version, at: last.updatedAt, author: "ada", fields: ["host"]),
                EntityChange(
                    .update, version: edited.version, at: edited.updatedAt, author: "bob",
                    fields: ["severity", "text"]),
                EntityChange(.create, version: created.version, at: created.updatedAt, author: "ada"),
            ]
            #expect(try await changes(of: created.id, bob).items == expected)
            // The author of the row stays who created it.
            #expect(last.author == "ada")

            var (pages, cursor) = ([EntityChange](), String?.none)
            repeat {
                let page = try await changes(of: created.id, ada, limit: 1, after: cursor)
                pages += page.items
                cursor = page.nextCursor
            } while cursor != nil && pages.count < 5
            #expect(pages == expected)
        }
    }

    @Test func `a deletion is recorded, and an entry that never was has no changes`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let (ada, bob) = (try backend.client(as: "ada"), try backend.client(as: "bob"))
            let created = try await ada.send(CreateEntity(entry))
            backend.clock.now += 60
            _ = try await bob.send(DeleteEntity<JournalEntry>(id: created.id, ifMatch: nil))
            let found = try await changes(of: created.id, ada).items
            #expect(found.map(\.operation) == [.delete, .create] && found.map(\.author) == ["bob", "ada"])
            #expect(found.first?.at == backend.clock.now)
            let none = await problem { _ = try await changes(of: JournalEntry.ID("no-such-id"), ada) }
            #expect(none?.status == 404)
        }
    }

    @Test func `a refused write and a repeated create record nothing`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let ada = try backend.client(as: "ada")
            let id = JournalEntry.ID("01a1fddf-c1af-70ef-925b-228a65d87a72")
            for _ in 0..<2 { _ = try await ada.send(CreateEntity(entry, id: id)) }
            let stale = PatchEntity<JournalEntry>(id: id, ifMatch: EntityTag("x"), ["text": .string("y")])
            #expect(await problem { _ = try await ada.send(stale) }?.status == 412)
            #expect(try await changes(of: id, ada).items.map(\.operation) == [.create])
        }
    }

    @Test func `an entry that is made again under its id has the changes of both, a page at a time`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let ada = try backend.client(as: "ada")
            let id = try await ada.send(CreateEntity(entry)).id
            _ = try await ada.send(DeleteEntity<JournalEntry>(id: id, ifMatch: nil))
            _ = try await ada.send(CreateEntity(entry, id: id))
            var (pages, cursor) = ([[EntityChange.Operation]](), String?.none)
            repeat {
                let page = try await changes(of: id, ada, limit: 1, after: cursor)
                pages.append(page.items.map(\.operation))
                cursor = page.nextCursor
            } while cursor != nil && pages.count < 5
            #expect(pages == [[.create], [.delete], [.create]])
        }
    }

    @Test func `a row from before changes were recorded has a last write without an author`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let (ada, bob) = (try backend.client(as: "ada"), try backend.client(as: "bob"))
            let created = try await ada.send(CreateEntity(entry))
            try await backend.store.write { try $0.execute("UPDATE row_change_start SET at = \(created.updatedAt)") }
            #expect(
                try await changes(of: created.id, bob).items == [
                    EntityChange(.earlier, version: created.version, at: created.updatedAt, author: nil)
                ])
            backend.clock.now += 60
            _ = try await bob.send(
                PatchEntity<JournalEntry>(id: created.id, ifMatch: nil, ["text": .string("y")]))
            let items = try await changes(of: created.id, bob).items
            #expect(items.map(\.operation) == [.update, .earlier] && items.map(\.author) == ["bob", nil])
        }
    }

    @Test func `a limit out of range and a foreign cursor are refused`() async throws {
        try await withBackend(JournalService()) { [entry] backend in
            let ada = try backend.client(as: "ada")
            let id = try await ada.send(CreateEntity(entry)).id
            for limit in [0, 201] {
                let call = ListChanges<JournalEntry>(id: id, limit: limit)
                #expect(await problem { _ = try await ada.send(call) }?.status == 422)
            }
            let foreign = ListChanges<JournalEntry>(id: id, cursor: "bm8")
            #expect(await problem { _ = try await ada.send(foreign) }?.code == "invalid_cursor")
        }
    }
}
