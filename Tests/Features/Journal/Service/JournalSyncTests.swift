import FoundationEssentials
import JournalAPI
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Journal, synchronised` {
    private func mutation(
        _ operation: Mutation.Operation, of entity: String = "e1", base: Int? = nil,
        _ fields: [String: JSONValue] = [:], id: String = UUID().uuidString
    ) -> Mutation {
        Mutation(
            id: id, clientSeq: 1, collection: JournalEntry.collection, entityId: entity, operation: operation,
            baseVersion: base, fields: fields, at: .newYear)
    }

    private func push(_ client: HTTPAPIClient, _ mutations: Mutation...) async throws -> [MutationResult] {
        try await client.send(PushMutations(batch: MutationBatch(clientId: "device", mutations: mutations))).results
    }

    private let fields: [String: JSONValue] = [
        "host": .string("web1"), "severity": .string("warning"), "text": .string("disk full"),
        "occurred_at": .string("2026-01-01T10:00:00.250Z"), "runbook_id": .string("rb-1"),
    ]

    @Test func `a created entry is pulled as the API shows it`() async throws {
        let (create, fields) = (mutation(.create, fields), fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let result = try await push(client, create)[0]
            #expect(result.status == .applied)
            let shown = try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1")))
            #expect(shown.version == result.version)
            let change = try #require(try await client.send(PullChanges()).changes.first)
            #expect(change.version == shown.version)
            #expect(change.updatedAt == shown.updatedAt)
            #expect(change.data == (try JSONValue(encoding: shown)).object)
            for (name, value) in fields { #expect(change.data?[name] == value) }
        }
    }

    @Test func `a row without runbook is the same in both forms`() async throws {
        var fields = fields
        fields["runbook_id"] = nil
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            _ = try await push(client, create)
            let shown = try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1")))
            #expect(try await client.send(PullChanges()).changes.first?.data == (try JSONValue(encoding: shown)).object)
        }
    }

    @Test func `a repeated create is applied without effect, and one with other content is rejected`() async throws {
        var other = fields
        other["text"] = .string("another")
        let (first, again, different) = (mutation(.create, fields), mutation(.create, fields), mutation(.create, other))
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let results = try await push(client, first, again, different)
            #expect(results.map(\.status) == [.applied, .applied, .rejected])
            #expect(results[0].version == results[1].version)
            #expect(results[2].error?.code == "id_taken")
            #expect(try await client.send(PullChanges()).changes.count == 1)
        }
    }

    @Test func `a create without a time happened when it was written`() async throws {
        var fields = fields
        fields["occurred_at"] = nil
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            _ = try await push(client, create)
            #expect(try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1"))).occurredAt == .newYear)
        }
    }

    @Test func `a patch at its base is applied once, and a second one at that base is a conflict`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let version = try #require(try await push(client, create)[0].version)
            let patch = mutation(.patch, base: version, ["text": .string("fixed")])
            let late = mutation(.patch, base: version, ["text": .string("late")])
            let results = try await push(client, patch, late)
            #expect(results.map(\.status) == [.applied, .conflict])
            #expect(try #require(results[0].version) > version)
            #expect(results[1].current?.data?["text"] == .string("fixed"))
            #expect(results[1].current?.version == results[0].version)
        }
    }

    @Test func `a patch of a deleted entry is a conflict with the tombstone`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let version = try #require(try await push(client, create)[0].version)
            _ = try await client.send(DeleteEntity<JournalEntry>(id: JournalEntry.ID("e1"), ifMatch: nil))
            let result = try await push(client, mutation(.patch, base: version, ["text": .string("x")]))[0]
            #expect(result.status == .conflict)
            #expect(result.current?.operation == .delete)
        }
    }

    @Test func `deleting twice is applied twice, and a newer row is a conflict`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let version = try #require(try await push(client, create)[0].version)
            let edit = ["text": .string("edited")] as [String: JSONValue]
            let patched = try await client.send(
                PatchJournalEntry(id: JournalEntry.ID("e1"), ifMatch: nil, edit))
            let stale = try await push(client, mutation(.delete, base: version))
            let results =
                try await stale
                + push(
                    client, mutation(.delete, base: patched.version), mutation(.delete, base: patched.version),
                    mutation(.delete, of: "never", base: 1))
            #expect(results.map(\.status) == [.conflict, .applied, .applied, .applied])
            let changes = try await client.send(PullChanges()).changes
            #expect(changes.isEmpty)
        }
    }

    @Test func `a deletion by REST reaches other devices as a tombstone`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            _ = try await push(client, create)
            let cursor = try await client.send(PullChanges()).cursor
            _ = try await client.send(DeleteEntity<JournalEntry>(id: JournalEntry.ID("e1"), ifMatch: nil))
            let changes = try await client.send(PullChanges(cursor: cursor)).changes
            #expect(changes.map(\.operation) == [.delete])
            #expect(changes.first?.data == nil)
        }
    }

    @Test func `a deleted id can be created again`() async throws {
        let (create, again) = (mutation(.create, fields), mutation(.create, fields))
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let first = try #require(try await push(client, create)[0].version)
            _ = try await push(client, mutation(.delete, base: first))
            let second = try await push(client, again)[0]
            #expect(second.status == .applied)
            #expect(try #require(second.version) > first)
            #expect(try await client.send(PullChanges()).changes.map(\.operation) == [.put])
        }
    }

    @Test func `the same mutation twice takes effect once`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let first = try await push(client, create)
            let version = try #require(first[0].version)
            let patch = mutation(.patch, base: version, ["text": .string("once")])
            let results = try await push(client, patch, patch)
            #expect(results[0] == results[1])
            #expect(try await push(client, patch) == [results[0]])
            #expect(try await push(client, create) == first)
        }
    }

    @Test(
        arguments: [
            (Mutation.Operation.create, nil, ["text": .string("x")], "fields.host"),
            (.create, nil, ["host": .string("web1"), "text": .integer(7)], "fields.text"),
            (
                .create, nil, ["host": .string("web1"), "text": .string("x"), "severity": .string("loud")],
                "fields.severity"
            ),
            (
                .create, nil, ["host": .string("web1"), "text": .string("x"), "occurred_at": .string("now")],
                "fields.occurred_at"
            ),
            (.create, nil, ["host": .string("web1"), "text": .string("x"), "id": .string("other")], "fields.id"),
            (.create, nil, ["host": .string("a b"), "text": .string("x")], "host"),
            (.create, nil, ["host": .string("web1"), "text": .string("\u{1B}")], "text"),
            (
                .create, nil,
                ["host": .string("web1"), "text": .string("x"), "occurred_at": .string("9999-12-31T00:00:00Z")],
                "occurred_at"
            ),
            (.patch, 1, ["occurred_at": .string("9999-12-31T00:00:00Z")], "occurred_at"),
            (.patch, nil, ["text": .string("x")], "base_version"),
            (.patch, 1, ["text": .string("")], "text"),
        ] as [(Mutation.Operation, Int?, [String: JSONValue], String)])
    func `a mutation that breaks a rule is rejected by field, also when it is repeated`(
        operation: Mutation.Operation, base: Int?, fields: [String: JSONValue], field: String
    ) async throws {
        let refused = mutation(operation, of: operation == .patch ? "e1" : "e2", base: base, fields)
        let create = mutation(.create, self.fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            #expect(try await push(client, create)[0].version == 1)
            let result = try await push(client, refused)[0]
            #expect(result.status == .rejected)
            #expect(result.error?.status == 422)
            #expect(result.error?.errors?.map(\.field) == [field])
            #expect(try await push(client, refused)[0] == result)
        }
    }

    @Test func `a patch of nothing and a nonsense id are rejected`() async throws {
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let version = try await push(client, create)[0].version
            let results = try await push(
                client, mutation(.patch, base: version), mutation(.create, of: "a b", ["host": .string("h")]))
            #expect(results.map(\.status) == [.rejected, .rejected])
        }
    }

    @Test func `fields that belong to the server are ignored in a mutation`() async throws {
        var fields = fields
        fields["version"] = .integer(999)
        fields["updated_at"] = .string("1999-01-01T00:00:00Z")
        let create = mutation(.create, fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            _ = try await push(client, create)
            let entry = try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1")))
            #expect(entry.version == 1)
            #expect(entry.updatedAt == backend.clock.now)
        }
    }
}
