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

@Suite struct `The author of a journal entry` {
    private let id = JournalEntry.ID("e1")

    private func fields(_ more: [String: JSONValue] = [:]) -> [String: JSONValue] {
        ["id": .string("e1"), "host": .string("web1"), "text": .string("x")].merging(more) { $1 }
    }

    @Test func `the user that created an entry stays its author when another user edits it`() async throws {
        let call = CreateJournalEntry(fields())
        try await withBackend(JournalService()) { [id] backend in
            #expect(try await backend.client(as: "ada").send(call).author == "ada")
            let edited = try await backend.client(as: "bob").send(PatchJournalEntry(id: id, ["text": .string("y")]))
            #expect(edited.author == "ada" && edited.text == "y")
            #expect(try await backend.client(as: "bob").send(GetEntity<JournalEntry>(id: id)).author == "ada")
            #expect(try await backend.client(as: "bob").send(ListJournalEntries()).items.map(\.author) == ["ada"])
        }
    }

    @Test func `the author of a machine's entry is its host`() async throws {
        let call = CreateJournalEntry(fields())
        try await withBackend(JournalService()) { backend in
            let entry = try await backend.machine("web1").send(call)
            #expect(entry.author == "web1")
        }
    }

    @Test func `an author that a client sends is ignored`() async throws {
        let author: [String: JSONValue] = ["author": .string("mallory"), "author_id": .string("user:mallory")]
        let call = CreateJournalEntry(fields(author))
        try await withBackend(JournalService()) { [id] backend in
            let client = try backend.client(as: "ada")
            #expect(try await client.send(call).author == "ada")
            let edited = try await client.send(
                PatchJournalEntry(id: id, author.merging(["text": .string("y")]) { $1 }))
            #expect(edited.author == "ada")
            let nothing = await problem { try await client.send(PatchJournalEntry(id: id, author)) }
            #expect(nothing?.status == 422)
        }
    }

    @Test func `changes and snapshots have the author, and mutations may send it back`() async throws {
        let mutation = Mutation(
            id: "m1", clientSeq: 1, collection: JournalEntry.collection, entityId: "e1", operation: .create,
            baseVersion: nil,
            fields: ["host": .string("web1"), "text": .string("x"), "author": .string("mallory")], at: .newYear)
        try await withBackend(JournalService()) { backend in
            let client = try backend.client(as: "ada")
            let push = PushMutations(batch: MutationBatch(clientId: "device", mutations: [mutation]))
            #expect(try await client.send(push).results.map(\.status) == [.applied])
            let data = try await client.send(PullChanges()).changes.first?.data
            #expect(data?["author"] == .string("ada") && data?["author_id"] == nil)
            var transcript = CallTranscript(backend)
            try await transcript.send(["bob GET /v1/sync/snapshot"])
            #expect(transcript.text.contains(#""author":"ada""#) && !transcript.text.contains("user:ada"))
        }
    }
}
