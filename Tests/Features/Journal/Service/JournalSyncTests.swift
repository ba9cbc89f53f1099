import FoundationEssentials
import JournalDomain
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

/// Mutations are checked by the rules of REST; what holds for every synchronised table is tested with the service.
@Suite struct `Journal, synchronised` {
    private func mutation(
        _ operation: Mutation.Operation, of entity: String = "e1", base: Int? = nil,
        _ fields: [String: JSONValue] = [:]
    ) -> Mutation {
        Mutation(
            id: UUID().uuidString, clientSeq: 1, collection: JournalEntry.collection, entityId: entity,
            operation: operation, baseVersion: base, fields: fields, at: .newYear)
    }

    private func push(_ client: HTTPAPIClient, _ mutations: Mutation...) async throws -> [MutationResult] {
        try await client.send(PushMutations(batch: MutationBatch(clientId: "device", mutations: mutations))).results
    }

    private let fields: [String: JSONValue] = [
        "host": .string("web1"), "severity": .string("warning"), "text": .string("disk full"),
        "occurred_at": .string("2026-01-01T10:00:00.250Z"), "runbook_id": .string("rb-1"),
    ]

    @Test(arguments: [true, false])
    func `a created entry is pulled as the API shows it`(hasRunbook: Bool) async throws {
        let fields = fields.filter { hasRunbook || $0.key != "runbook_id" }
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let result = try await push(client, mutation(.create, fields))[0]
            #expect(result.status == .applied)
            let shown = try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1")))
            let change = try #require(try await client.send(PullChanges()).changes.first)
            #expect(change.version == shown.version && shown.version == result.version)
            #expect(change.updatedAt == shown.updatedAt)
            #expect(change.data == (try JSONValue(encoding: shown)).object)
            for (name, value) in fields { #expect(change.data?[name] == value) }
        }
    }

    @Test func `a create without severity and time has those of a new entry, at the time it was written`() async throws
    {
        let fields = fields.filter { !["severity", "occurred_at"].contains($0.key) }
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            _ = try await push(client, mutation(.create, fields))
            let entry = try await client.send(GetEntity<JournalEntry>(id: JournalEntry.ID("e1")))
            #expect(entry.occurredAt == .newYear && entry.severity == .info)
        }
    }

    @Test func `a repeated create is applied without effect, and one with other content is a conflict`() async throws {
        var other = fields
        other["text"] = .string("another")
        let (first, again, different) = (mutation(.create, fields), mutation(.create, fields), mutation(.create, other))
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let results = try await push(client, first, again, different)
            #expect(results.map(\.status) == [.applied, .applied, .conflict])
            #expect(results[0].version == results[1].version)
            #expect(results[2].current?.data?["text"] == .string("disk full"))
            #expect(try await client.send(PullChanges()).changes.count == 1)
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
            (.create, nil, ["host": .string("a b"), "text": .string("x")], "host"),
            (.create, nil, ["host": .string("web1"), "text": .string("\u{1B}")], "text"),
            (
                .create, nil,
                ["host": .string("web1"), "text": .string("x"), "occurred_at": .string("9999-12-31T00:00:00Z")],
                "occurred_at"
            ),
            (.patch, 1, ["occurred_at": .string("9999-12-31T00:00:00Z")], "occurred_at"),
            (.patch, 1, ["text": .string("")], "text"),
        ] as [(Mutation.Operation, Int?, [String: JSONValue], String)])
    func `a mutation that breaks a rule is rejected by field, also when it is repeated`(
        operation: Mutation.Operation, base: Int?, fields: [String: JSONValue], field: String
    ) async throws {
        let create = mutation(.create, self.fields)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client()
            let version = try await push(client, create)[0].version
            let refused = mutation(
                operation, of: operation == .patch ? "e1" : "e2", base: base == nil ? nil : version, fields)
            let result = try await push(client, refused)[0]
            #expect(result.status == .rejected)
            #expect(result.error?.status == 422)
            #expect(result.error?.errors?.map(\.field) == [field])
            #expect(try await push(client, refused)[0] == result)
        }
    }

    @Test func `an id that no route can name is rejected`() async throws {
        try await withBackend(JournalService()) { backend in
            let result = try await push(backend.client(), mutation(.create, of: "a b", fields))[0]
            #expect(result.status == .rejected && result.error?.errors?.map(\.field) == ["entity_id"])
        }
    }
}
