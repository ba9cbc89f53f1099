import FoundationEssentials
import SpacesAPI
import SpacesDomain
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

struct MembershipTests {
    @Test func `who creates a space is its administrator`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let members = try await scene.user("ada").send(ListSpaceMembers(id: ops.id)).items
            #expect(members.map(\.username) == ["ada"] && members.map(\.role) == ["administrator"])
        }
    }

    @Test func `an invitation is seen, accepted once, and by its user only`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let (ada, bob, eve) = (try scene.user("ada"), try scene.user("bob"), try scene.user("eve"))
            let sent = try await ada.send(
                CreateSpaceInvitation(id: ops.id, InvitationDraft(username: "bob", role: .editor)))
            #expect(sent.spaceName == "ops" && sent.invitedBy == "ada")
            #expect(try await bob.send(ListInvitations()).items == [sent])
            #expect(try await eve.send(ListInvitations()).items.isEmpty)
            #expect(await problem { try await eve.send(AcceptInvitation(id: sent.id)) }?.status == 404)
            #expect(try await bob.send(AcceptInvitation(id: sent.id)).role == "editor")
            #expect(await problem { try await bob.send(AcceptInvitation(id: sent.id)) }?.status == 404)
            #expect(try await bob.send(GetEntity<Space>(id: ops.id)).name == "ops")
            let again = await problem {
                try await ada.send(
                    CreateSpaceInvitation(id: ops.id, InvitationDraft(username: "bob", role: .viewer)))
            }
            #expect(again?.code == "already_member")
        }
    }

    @Test func `a role of the whole service that has no part in spaces sees no invitation, and accepts none`()
        async throws
    {
        enum Guest: String, ServiceRole {
            case guest
            func may(_ action: RowAction, _ collection: String) -> Bool { false }
        }
        try await withBackend([SpacesService(), CardsService()], roles: UserRoles(Guest.self)) { backend in
            let scene = SpaceScene(backend: backend)
            let ops = try await scene.space("ops", of: "ada")
            let sent = try await scene.user("ada").send(
                CreateSpaceInvitation(id: ops.id, InvitationDraft(username: "bob", role: .administrator)))
            let guest = try scene.user("guest-bob")
            #expect(try await guest.send(ListInvitations()).items.isEmpty)
            #expect(await problem { try await guest.send(AcceptInvitation(id: sent.id)) }?.status == 403)
            #expect(try await scene.user("bob").send(ListInvitations()).items == [sent])
        }
    }

    @Test func `the entity tag of a list is of no use to a user whose list is another, and to a former member`()
        async throws
    {
        try await SpaceScene.run { scene in
            func get(_ user: String, unless tag: String? = nil) async throws -> RawResponse {
                let headers: HeaderFields = tag.map { ["If-None-Match": $0] } ?? [:]
                let request = RawRequest(.get, "/v1/\(Card.path)", headers: headers)
                return try await scene.user(user).collect(request, upTo: 1 << 20, options: CallOptions()) { _ in }
            }
            let ops = try await scene.space("ops", of: "ada")
            try await scene.join(ops.id, "bob", as: .viewer, by: "ada")
            _ = try await scene.card("disk", in: ops.id, by: "ada")
            let tag = try #require(try await get("ada").head.headers["ETag"])
            // The same rows, and so the same bytes: he may read them.
            #expect(try await get("bob", unless: tag).head.status == 304)
            let eve = try await get("eve", unless: tag)
            #expect(eve.head.status == 200 && !String(decoding: eve.bytes, as: UTF8.self).contains("disk"))
            _ = try await scene.user("ada").send(RemoveSpaceMember(id: ops.id, member: SpaceMember.ID("bob")))
            let bob = try await get("bob", unless: tag)
            #expect(bob.head.status == 200 && bob.bytes == eve.bytes)
        }
    }

    @Test func `an invitation expires after 14 days, and is replaced by the next`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let draft = InvitationDraft(username: "bob", role: .viewer)
            let first = try await scene.user("ada").send(CreateSpaceInvitation(id: ops.id, draft))
            let second = try await scene.user("ada").send(CreateSpaceInvitation(id: ops.id, draft))
            let bob = try scene.user("bob")
            #expect(await problem { try await bob.send(AcceptInvitation(id: first.id)) }?.status == 404)
            scene.backend.clock.advance(by: .seconds(14 * 86_400))
            #expect(try await bob.send(ListInvitations()).items.isEmpty)
            #expect(await problem { try await bob.send(AcceptInvitation(id: second.id)) }?.status == 404)
        }
    }

    @Test func `the invited user declines, an administrator withdraws, others do neither`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            let (ada, bob, eve) = (try scene.user("ada"), try scene.user("bob"), try scene.user("eve"))
            let draft = InvitationDraft(username: "bob", role: .viewer)
            let first = try await ada.send(CreateSpaceInvitation(id: ops.id, draft))
            #expect(await problem { try await eve.send(DeleteInvitation(id: first.id)) }?.status == 404)
            _ = try await bob.send(DeleteInvitation(id: first.id))
            let second = try await ada.send(CreateSpaceInvitation(id: ops.id, draft))
            _ = try await ada.send(DeleteInvitation(id: second.id))
            #expect(try await bob.send(ListInvitations()).items.isEmpty)
        }
    }

    @Test func `the last administrator neither leaves, nor is removed, nor gets another role`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let (ada, bob) = (try scene.user("ada"), try scene.user("bob"))
            let me = SpaceMember.ID("ada")
            let refused = [
                await problem { try await ada.send(LeaveSpace(id: ops.id)) },
                await problem { try await ada.send(RemoveSpaceMember(id: ops.id, member: me)) },
                await problem { try await ada.send(ChangeSpaceMember(id: ops.id, member: me, to: .viewer)) },
            ]
            #expect(refused.map { $0?.code } == Array(repeating: "last_administrator", count: 3))
            #expect(try await ada.send(ListSpaceMembers(id: ops.id)).items.count == 2)
            _ = try await ada.send(ChangeSpaceMember(id: ops.id, member: SpaceMember.ID("bob"), to: .administrator))
            _ = try await ada.send(LeaveSpace(id: ops.id))
            #expect(await problem { try await ada.send(GetEntity<Space>(id: ops.id)) }?.status == 404)
            #expect(try await bob.send(ListSpaceMembers(id: ops.id)).items.map(\.username) == ["bob"])
        }
    }

    @Test func `a role changes what a member may do at once`() async throws {
        try await SpaceScene.run { scene in
            let ops = try await scene.space("ops", of: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            let (ada, bob) = (try scene.user("ada"), try scene.user("bob"))
            let card = try await bob.send(CreateEntity(Card("mine", in: ops.id)))
            _ = try await ada.send(ChangeSpaceMember(id: ops.id, member: SpaceMember.ID("bob"), to: .viewer))
            let removal = DeleteEntity<Card>(id: card.id, ifMatch: card.entityTag)
            #expect(await problem { try await bob.send(removal) }?.status == 403)
            #expect(try await bob.send(GetEntity<Card>(id: card.id)).text == "mine")
        }
    }
}
