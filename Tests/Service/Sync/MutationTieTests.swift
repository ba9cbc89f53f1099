import Foundation
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataService
import Testing

/// Relations between the mutations of a batch: rows, dependencies, groups.
/// On one engine: the tests name versions before the server has given them. `SyncPropertyTests` and those of features push on both.
@Suite(.enabled(if: StoreEngine.chosen.isSQLite, "PostgreSQL's versions are not known in advance."))
struct MutationTieTests {
    private func texts(_ service: TestService) async throws -> [String: String] {
        try await service.store.read { reader in
            let rows = try reader.rows("SELECT id, text FROM note")
            return Dictionary(try rows.map { (try $0.text("id"), try $0.text("text")) }) { first, _ in first }
        }
    }

    @Test func `after a rejected mutation only those of its row are deferred`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "one"))
            let results = try await device.push(
                .patch("m2", of: "a", base: 1, text: "forbidden"), .create("m3", of: "b", text: "two"),
                .patch("m4", of: "a", base: 1, text: "three"),
                .patch("m5", of: "b", base: 2, text: "four"))
            #expect(results.map(\.status) == [.rejected, .applied, .deferred, .applied])
            #expect(results[2].error?.code == SyncCode.notYet)
            #expect(try await texts(service) == ["a": "one", "b": "four"])
            // The client has settled m2, and sends the rest of the lane again under its id.
            #expect(try await device.push(.patch("m4", of: "a", base: 1, text: "three"))[0].status == .applied)
        }
    }

    @Test func `a dependency must be in effect, from this batch or an earlier one`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let child = Mutation.create("m2", of: "child", text: "child").needing("m1")
            #expect(try await device.push(child)[0].status == .deferred)
            #expect(
                try await device.push(child, .create("m1", of: "parent", text: "parent")).map(\.status) == [
                    .deferred, .applied,
                ])
            #expect(try await device.push(child)[0].status == .applied)
            let both = try await device.push(
                .create("m3", of: "p2", text: "p2"), .create("m4", of: "c2", text: "c2").needing("m3", "m1"))
            #expect(both.map(\.status) == [.applied, .applied])
            let orphan = try await device.push(
                .create("m5", of: "x", text: "parent"), .create("m6", of: "y", text: "y").needing("m5"))
            #expect(orphan.map(\.status) == [.rejected, .deferred], "m5 breaks a constraint")
            // A mutation of another user cannot be a dependency.
            let foreign = try await device.push([.create("m7", of: "z", text: "z").needing("m1")], as: "bert")
            #expect(foreign[0].status == .deferred)
        }
    }

    @Test func `a group takes effect whole or not at all`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let good = [
                Mutation.create("m1", of: "a", text: "a").grouped("g1"),
                .create("m2", of: "b", text: "b"), .create("m3", of: "c", text: "c").grouped("g1"),
            ]
            #expect(try await device.push(good).map(\.version) == [1, 3, 2])
            #expect(try await device.push(good).map(\.version) == [1, 3, 2], "and is repeated word for word")
            let bad = [
                Mutation.patch("m4", of: "a", base: 1, text: "a2").grouped("g2"),
                .patch("m5", of: "b", base: 9, text: "b2").grouped("g2"),
                .create("m6", of: "d", text: "d"),
                .create("m7", of: "e", text: "e").grouped("g2"),
            ]
            let results = try await device.push(bad)
            #expect(results.map(\.status) == [.deferred, .conflict, .applied, .deferred])
            #expect(results[1].current?.version == 3, "the row as it is, without what was undone")
            #expect(try await texts(service) == ["a": "a", "b": "b", "c": "c", "d": "d"])
            #expect(results[2].version == 4, "the versions of the undone writes were given back")
            // Again: the verdict stands, and still nothing of the group is in effect.
            #expect(try await device.push(bad) == results)
        }
    }

    @Test func `in a group one may build on another`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let results = try await device.push(
                .create("m1", of: "a", text: "a").grouped("g"), .patch("m2", of: "a", base: 1, text: "b").grouped("g"),
                .create("m3", of: "c", text: "c").needing("m2").grouped("g"))
            #expect(results.map(\.status) == [.applied, .applied, .applied])
        }
    }

    @Test func `a defect in a group defers it and is not remembered`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            _ = try await device.push(.create("m1", of: "a", text: "a"))
            let results = try await device.push(
                .create("m2", of: "b", text: "b").grouped("g"),
                .patch("m3", of: "a", base: 1, text: "explode").grouped("g"))
            #expect(results.map(\.status) == [.deferred, .rejected] && results[1].error?.status == 500)
            try await expectRows(1, in: "sync_mutation", of: service.store)
            try await expectRows(1, in: "note", of: service.store)
        }
    }

    @Test func `a mutation that a newer server may accept is rejected and not stored`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            var newer = Mutation.create("m1", of: "a", text: "a")
            newer.fields["colour"] = .string("red")
            let results = try await device.push(newer, .create("m2", of: "b", text: "b", collection: "boats"))
            #expect(results.map(\.error?.code) == [SyncCode.unknownField, SyncCode.unknownCollection])
            #expect(results[0].error?.errors?.map(\.field) == ["fields.colour"])
            try await expectRows(0, in: "sync_mutation", of: service.store)
            newer.fields["colour"] = nil
            #expect(try await device.push(newer)[0].status == .applied, "the id is still free")
        }
    }

    @Test(arguments: [
        (#"{"client_seq":0}"#, "client_seq"), (#"{"client_seq":-1}"#, "client_seq"),
        (#"{"entity_id":""}"#, "entity_id"),
        (#"{"group":""}"#, "group"), (#"{"group":"a b"}"#, "group"), (#"{"depends_on":["m1"]}"#, "depends_on"),
        (#"{"depends_on":["ü"]}"#, "depends_on"), (#"{"id":"a b"}"#, "id"),
    ])
    func `a mutation that cannot be stored is rejected by itself, naming the field`(_ patch: String, _ field: String)
        async throws
    {
        try await withService { service, client in
            let good = try JSONValue(encoding: Mutation.create("m1", of: "a", text: "a")).object ?? [:]
            let flaw = try WireJSON.decode([String: JSONValue].self, from: Data(patch.utf8))
            let other = try JSONValue(encoding: Mutation.create("m2", of: "b", text: "b"))
            let body: [String: JSONValue] = [
                "client_id": .string("c"), "mutations": .array([.object(good.merging(flaw) { $1 }), other]),
            ]
            let reply = try await client.send(.post, "/v1/sync/mutations", body: try WireJSON.encode(body))
            #expect(reply.status == 200)
            let results = try reply.decoded(MutationResults.self).results
            #expect(results.map(\.status) == [.rejected, .applied])
            #expect(results[0].error?.errors?.map(\.field) == [field])
        }
    }
}

extension Mutation {
    func needing(_ ids: String...) -> Mutation {
        var mutation = self
        mutation.dependsOn = ids
        return mutation
    }

    func grouped(_ group: String) -> Mutation {
        var mutation = self
        mutation.group = group
        return mutation
    }
}
