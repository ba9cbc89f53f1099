import FoundationEssentials
import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

/// What the server sends and takes while memberships change.
struct SpaceSyncTests {
    @Test func `who leaves starts again without the rows, and who joins gets those that are older than the cursor`()
        async throws
    {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("a", in: ops.id, by: "ada")
            let bob = try scene.user("bob")
            let before = try await bob.send(PullChanges())
            #expect(before.changes.isEmpty)

            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let asked = await problem { try await bob.send(PullChanges(cursor: before.cursor)) }
            #expect(asked?.status == 409 && asked?.code == SyncCode.scopeChanged)
            let joined = try await bob.send(PullChanges())
            #expect(Set(joined.changes.map(\.id)) == [ops.id.rawValue, card.id.rawValue])

            _ = try await bob.send(LeaveSpace(id: ops.id))
            let left = await problem { try await bob.send(PullChanges(cursor: joined.cursor)) }
            #expect(left?.code == SyncCode.scopeChanged)
            let after = try await bob.send(PullChanges())
            #expect(after.changes.isEmpty && after.isReplacement)
        }
    }

    @Test func `a membership of another user, and another role that reads, leave the cursor valid`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let bob = try scene.user("bob")
            let cursor = try await bob.send(PullChanges()).cursor
            try await scene.join(ops.id, "eve", as: .viewer, by: "ada")
            _ = try await scene.user("ada").send(
                ChangeSpaceMember(id: ops.id, member: SpaceMember.ID("bob"), to: .viewer))
            let card = try await scene.card("a", in: ops.id, by: "ada")
            #expect(try await bob.send(PullChanges(cursor: cursor)).changes.map(\.id) == [card.id.rawValue])
        }
    }

    @Test func `a long poll ends when the membership does`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let bob = try scene.user("bob")
            let cursor = try await bob.send(PullChanges()).cursor
            async let poll = problem { try await bob.send(PullChanges(cursor: cursor, wait: 30)) }
            _ = try await scene.user("ada").send(RemoveSpaceMember(id: ops.id, member: SpaceMember.ID("bob")))
            #expect(await poll?.code == SyncCode.scopeChanged)
        }
    }

    @Test func `a digest counts the rows of one's own spaces, and adds them up`() async throws {
        try await SpaceScene.run { scene in
            let (ops, dev) = (try await scene.space("ops", of: "ada"), try await scene.space("dev", of: "bob"))
            for number in 0..<3 { _ = try await scene.card("o\(number)", in: ops.id, by: "ada") }
            for number in 0..<2 { _ = try await scene.card("d\(number)", in: dev.id, by: "bob") }
            func count(_ user: String) async throws -> [Int] {
                try await scene.user(user).send(FetchDigest(collections: "cards")).collections.map(\.count)
            }
            #expect(try await count("ada") == [3])
            #expect(try await count("bob") == [2])
            #expect(try await count("eve") == [0])
            try await scene.join(ops.id, "bob", as: .viewer, by: "ada")
            #expect(try await count("bob") == [5])
            let page = try await scene.user("bob").send(PullChanges(collections: "cards"))
            var expected: [Int: RowDigest] = [:]
            for change in page.changes {
                let hash = RowHash(id: change.id, version: change.version)
                expected[hash.bucket, default: RowDigest()].insert(hash)
            }
            let digest = try await scene.user("bob").send(FetchDigest(collections: "cards")).collections[0]
            #expect(
                digest.buckets
                    == expected.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
        }
    }

    @Test func `a write into a space that was left is refused with a sentence, by each operation`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("a", in: ops.id, by: "ada")
            try await scene.join(ops.id, "bob", as: .administrator, by: "ada")
            _ = try await scene.user("bob").send(LeaveSpace(id: ops.id))
            let results = [
                try await scene.push(
                    .create, Card.ID("new-card"),
                    ["space_id": .string(ops.id.rawValue), "text": .string("b")], by: "bob", "m-1"),
                try await scene.push(.patch, card.id, ["text": .string("b")], on: card.version, by: "bob", "m-2"),
                try await scene.push(.delete, card.id, on: card.version, by: "bob", "m-3"),
            ]
            for result in results {
                #expect(result.status == .rejected && result.error?.code == SyncCode.notAMember)
                #expect(result.error?.detail?.contains("not a member") == true && result.current == nil)
            }
            #expect(try await scene.user("ada").send(GetEntity<Card>(id: card.id)) == card)
        }
    }

    @Test func `a space and its rows may be created in one batch`() async throws {
        try await SpaceScene.run { scene in
            let ada = try scene.user("ada")
            let space = Mutation(
                id: "m-1", clientSeq: 1, collection: "spaces", entityId: "space-1", operation: .create,
                baseVersion: nil, fields: ["name": .string("ops")], at: scene.backend.clock.now)
            let card = Mutation(
                id: "m-2", clientSeq: 2, collection: "cards", entityId: "card-1", operation: .create,
                baseVersion: nil, fields: ["space_id": .string("space-1"), "text": .string("a")],
                at: scene.backend.clock.now)
            let batch = MutationBatch(clientId: "test", mutations: [space, card])
            let results = try await ada.send(PushMutations(batch: batch)).results
            #expect(results.map(\.status) == [.applied, .applied])
            #expect(try await ada.send(GetEntity<Card>(id: Card.ID("card-1"))).text == "a")
            #expect(try await ada.send(ListSpaceMembers(id: Space.ID("space-1"))).items.map(\.username) == ["ada"])
        }
    }
}
