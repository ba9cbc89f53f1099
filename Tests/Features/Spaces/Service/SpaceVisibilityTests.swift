import FoundationEssentials
import Logging
import SpacesAPI
import SpacesDomain
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

struct SpaceVisibilityTests {
    @Test func `an entity of a space keeps the contract of an entity`() async throws {
        let failures = try await EntityContract<Card>(CardsService()).failures()
        #expect(failures == [])
    }

    @Test func `a row stays in its space`() async throws {
        try await SpaceScene.run { scene in
            let (ops, dev) = (try await scene.space("ops", of: "ada"), try await scene.space("dev", of: "ada"))
            let card = try await scene.card("a", in: ops.id, by: "ada")
            let ada = try scene.user("ada")
            let moved = await problem {
                try await ada.send(
                    PatchEntity<Card>(
                        id: card.id, ifMatch: card.entityTag, ["space_id": .string(dev.id.rawValue)]))
            }
            #expect(moved?.status == 422 && moved?.errors?.map(\.field) == ["space_id"])
            let pushed = try await scene.push(
                .patch, card.id, ["space_id": .string(dev.id.rawValue)], on: card.version, by: "ada", "m-1")
            #expect(pushed.status == .rejected && pushed.error?.status == 422)
            #expect(try await ada.send(GetEntity<Card>(id: card.id)) == card)
        }
    }

    @Test func `a value is unique in its space, and a refusal tells nothing of another one`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let dev = try await scene.space("dev", of: "bob")
            _ = try await scene.user("ada").send(CreateEntity(Card("a", in: ops.id, code: "x")))
            _ = try await scene.user("bob").send(CreateEntity(Card("b", in: dev.id, code: "x")))
            let twin = await problem {
                try await scene.user("ada").send(CreateEntity(Card("c", in: ops.id, code: "x")))
            }
            #expect(twin?.status == 409 && twin?.code == "not_unique")
        }
    }

    @Test func `a foreign space and one that does not exist are refused alike`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let bob = try scene.user("bob")
            let foreign = await problem { try await bob.send(CreateEntity(Card("a", in: ops.id))) }
            let missing = await problem { try await bob.send(CreateEntity(Card("a", in: Space.ID("no-such-space")))) }
            #expect(foreign?.status == 403 && foreign?.code == SyncCode.notAMember)
            #expect(missing?.status == foreign?.status && missing?.detail == foreign?.detail)
        }
    }

    @Test func `an administrator of the service is no member`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("a", in: ops.id, by: "ada")
            let admin = try scene.user("admin")
            #expect(await problem { try await admin.send(GetEntity<Card>(id: card.id)) }?.status == 404)
            #expect(try await admin.send(ListEntities<Card>()).items.isEmpty)
            #expect(try await admin.send(PullChanges()).changes.isEmpty)
        }
    }

    @Test func `the deletion of a space takes its rows, members and invitations along`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("a", in: ops.id, by: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let ada = try scene.user("ada")
            _ = try await ada.send(
                CreateSpaceInvitation(id: ops.id, InvitationDraft(username: "eve", role: .viewer)))
            _ = try await ada.send(DeleteEntity<Space>(id: ops.id, ifMatch: ops.entityTag))
            #expect(await problem { try await ada.send(GetEntity<Card>(id: card.id)) }?.status == 404)
            #expect(try await scene.user("eve").send(ListInvitations()).items.isEmpty)
            let left = try await scene.backend.store.read { reader in
                try ["cards", "spaces", "space_member", "space_invitation"].map { table in
                    try reader.rows(Statement(stringLiteral: "SELECT 1 AS one FROM \(table)")).count
                }
            }
            #expect(left == [0, 0, 0, 0])
        }
    }

    @Test func `a backend without spaces refuses to start with their rows`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let store = try await StoreEngine.chosen.open(directory.file("data.db"))
        let error = #expect(throws: MissingSpaces.self) {
            try ServiceApplication(
                features: [CardsService()], store: store, authenticator: NoLogin(), logger: .silent)
        }
        #expect(error?.collection == "cards")
        try await StoreEngine.close(store)
    }

    private struct NoLogin: Authenticator {
        func principal(bearer token: String) async throws -> Principal { throw ServiceError.unauthorized("No one.") }
        func principal(apiKey: String) async throws -> Principal { throw ServiceError.unauthorized("No one.") }
    }
}
