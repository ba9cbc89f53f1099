import Foundation
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataService
import Testing

/// On one engine: the tests name versions before the server has given them. `SyncPropertyTests` and those of features push on both.
@Suite(.enabled(if: StoreEngine.chosen.isSQLite, "PostgreSQL's versions are not known in advance."))
struct PushTests {
    private func note(_ id: String, _ service: TestService) async throws -> NotePayload? {
        try await service.store.read { try $0.row("SELECT * FROM note WHERE id = \(id)").map(NotePayload.init) }
    }

    @Test func `mutations take effect in order and are pulled by others`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let results = try await device.push(
                .create("m1", of: "a", text: "one"), .patch("m2", of: "a", base: 1, text: "two"),
                .create("m3", of: "b", text: "three"), .delete("m4", of: "b", base: 3))
            #expect(results.map(\.id) == ["m1", "m2", "m3", "m4"])
            #expect(results.map(\.status) == [.applied, .applied, .applied, .applied])
            #expect(results.map(\.version) == [1, 2, 3, 4])
            var other = SyncClientDouble(client)
            try await other.pullAll()
            #expect(other.rows.mapValues(\.version) == ["a": 2])
        }
    }

    @Test func `a mutation sent again has no second effect and the same result, word for word`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let mutation = Mutation.create("m1", of: "a", text: "one")
            let first = try await device.push(mutation)
            _ = try await device.push(.patch("m2", of: "a", base: 1, text: "edited"))
            #expect(try await device.push(mutation) == first)
            #expect(try await note("a", service)?.text == "edited")
        }
    }

    @Test func `a conflict sent again is a conflict with the row as it is now`() async throws {
        try await withService { _, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "one"), .patch("m2", of: "a", base: 1, text: "two"))
            let stale = Mutation.patch("m3", of: "a", base: 1, text: "stale")
            #expect(try await device.push(stale)[0].current?.version == 2)
            _ = try await device.push(.patch("m4", of: "a", base: 2, text: "three"))
            let again = try await device.push(stale)[0]
            #expect(again.status == .conflict && again.current?.version == 3)
            #expect(again.current?.data?["text"] == .string("three"))
        }
    }

    @Test func `a conflict is stored without its row, which a repetition shows again`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let text = String(repeating: "x", count: 10_000)
            _ = try await device.push(.create("m", of: "a", text: text))
            // One request each: in a batch, those after the first would be deferred.
            let stale = (0..<100).map { Mutation.patch("m\($0)", of: "a", base: 9, text: "stale") }
            for mutation in stale { #expect(try await device.push(mutation)[0].status == .conflict) }
            let rows = try await service.store.read { try $0.rows("SELECT result FROM sync_mutation") }
            let bytes = try rows.reduce(0) { try $0 + $1.text("result").utf8.count }
            #expect(rows.count == 101 && bytes < 100_000, "\(bytes)")
            let again = try await device.push(stale)
            #expect(again.count == 100 && again.allSatisfy { $0.status == .conflict })
            #expect(again.allSatisfy { $0.current?.data?["text"] == .string(text) })
        }
    }

    @Test func `the same mutation twice in one batch counts once`() async throws {
        try await withService { service, client in
            let mutation = Mutation.create("m1", of: "a", text: "one")
            let results = try await SyncClientDouble(client).push(mutation, mutation)
            #expect(results[0] == results[1] && results[0].status == .applied)
        }
    }

    @Test func `an id used for something else is rejected and changes nothing`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let first = try await device.push(.create("m1", of: "a", text: "one"))
            let other = try await device.push(.create("m1", of: "b", text: "two"))
            #expect(other[0].status == .rejected)
            #expect(other[0].error?.code == "mutation_id_reused")
            #expect(try await note("b", service) == nil)
            #expect(try await device.push(.create("m1", of: "a", text: "one")) == first)
            // Ids of different users are independent.
            #expect(try await device.push(.create("m1", of: "c", text: "three"), as: "bert")[0].status == .applied)
        }
    }

    @Test func `a stale edit is a conflict that shows the row as it is`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "one"), .patch("m2", of: "a", base: 1, text: "two"))
            let result = try await device.push(.patch("m3", of: "a", base: 1, text: "three"))[0]
            #expect(result.status == .conflict)
            #expect(result.version == nil)
            #expect(result.current?.version == 2)
            #expect(result.current?.data?["text"] == .string("two"))
            #expect(try await note("a", service)?.text == "two")
        }
    }

    @Test func `a conflict with a deleted row shows the tombstone`() async throws {
        try await withService { _, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "one"), .delete("m2", of: "a", base: 1))
            let result = try await device.push(.delete("m3", of: "a", base: 1))[0]
            #expect(result.status == .conflict)
            #expect(result.current?.operation == .delete && result.current?.data == nil)
        }
    }

    @Test func `the effect of a rejected mutation is rolled back, and its result is stored`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "one"))
            let refused = Mutation.patch("m2", of: "a", base: 1, text: "forbidden")
            let first = try await device.push(refused, .create("m3", of: "b", text: "after"))
            #expect(first.map(\.status) == [.rejected, .applied])
            #expect(first[0].error?.errors?.map(\.field) == ["text"])
            #expect(try await note("a", service) == NotePayload(id: "a", text: "one", level: 1, version: 1))
            #expect(first[1].version == 2, "the version of the refused write was given back")
            #expect(try await device.push(refused)[0] == first[0])
        }
    }

    @Test func `a constraint or an unknown collection is a rejection of one mutation only`() async throws {
        try await withService { service, client in
            let results = try await SyncClientDouble(client).push(
                .create("m1", of: "a", text: "same"), .create("m2", of: "b", text: "same"),
                .create("m3", of: "c", text: "x", collection: "nothing"), .create("m4", of: "d", text: "last"))
            #expect(results.map(\.status) == [.applied, .rejected, .rejected, .applied])
            #expect(results[1].error?.code == "constraint")
            #expect(results[2].error?.code == "unknown_collection")
        }
    }

    @Test func `an internal error rejects only its own mutation, which can be sent again`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let results = try await device.push(
                .create("m1", of: "a", text: "one"), .patch("m2", of: "a", base: 1, text: "explode"),
                .create("m3", of: "b", text: "two"))
            #expect(results.map(\.status) == [.applied, .rejected, .applied])
            #expect(results[1].error?.status == 500)
            #expect(try await note("a", service)?.text == "one")
            let stored = try await service.store.read { try $0.rows("SELECT id FROM sync_mutation").count }
            #expect(stored == 2)
        }
    }

    @Test(arguments: ["", " ", "a b", "ü", String(repeating: "x", count: 65)])
    func `an id that is no name is rejected`(_ id: String) async throws {
        try await withService { _, client in
            let result = try await SyncClientDouble(client).push(.create(id, of: "a", text: "one"))[0]
            #expect(result.status == .rejected && result.error?.code == "invalid_mutation")
        }
    }

    @Test func `a hundred mutations are a batch and one more is not`() async throws {
        try await withService { service, client in
            let many = (0...100).map { Mutation.create("m\($0)", of: "e\($0)", text: "text \($0)") }
            let reply = try await client.send(
                .post, "/v1/sync/mutations", body: try WireJSON.encode(MutationBatch(clientId: "c", mutations: many)))
            #expect(reply.status == 422)
            #expect(try reply.problem().errors?.map(\.field) == ["mutations"])
            let results = try await SyncClientDouble(client).push(Array(many.dropLast()))
            #expect(results.count == 100 && results.allSatisfy { $0.status == .applied })
            #expect(try await SyncClientDouble(client).push([]).isEmpty)
        }
    }

    @Test func `a large batch fits where other bodies would not`() async throws {
        try await withService { _, client in
            let text = String(repeating: "x", count: 40_000)
            let many = (0..<100).map { Mutation.create("m\($0)", of: "e\($0)", text: "\($0)\(text)") }
            let results = try await SyncClientDouble(client).push(many)
            #expect(results.count == 100)
        }
    }

    @Test func `devices that push the same mutation at once have one effect`() async throws {
        try await withService { service, client in
            let mutation = Mutation.create("m1", of: "a", text: "one")
            let results = try await withThrowingTaskGroup(of: MutationResult.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await SyncClientDouble(client).push(mutation)[0] }
                }
                return try await group.reduce(into: Set<MutationResult>()) { $0.insert($1) }
            }
            #expect(results.count == 1)
        }
    }
}
