import FoundationEssentials
import GRDB
import Logging
import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// The rows of spaces on a machine whose user joins and leaves.
struct OfflineSpaceTests {
    /// The scene, and a home of bob.
    private func withHome(
        _ body: @escaping @Sendable (SpaceScene, SpaceHome, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await SpaceScene.run { scene in
            try await body(scene, SpaceHome("bob", in: directory, client: scene.user("bob")), directory)
        }
    }

    @Test func `who joins has the rows after a run, and who leaves has none, in no file`() async throws {
        try await withHome { scene, home, directory in
            let ops = try await scene.space("ops confidential", of: "ada")
            let own = try await scene.space("own", of: "bob")
            for number in 0..<40 { _ = try await scene.card("confidential \(number)", in: ops.id, by: "ada") }
            _ = try await scene.card("mine", in: own.id, by: "bob")
            _ = try await home.engine.sync()
            #expect(try await home.texts() == ["mine"])

            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            #expect(try await home.texts().count == 41)

            _ = try await scene.user("bob").send(LeaveSpace(id: ops.id))
            _ = try await home.engine.sync()
            #expect(try await home.texts() == ["mine"])
            #expect(try await home.spaces.list(.cacheFirst).value.map(\.name) == ["own"])
            try await home.database.close()
            #expect(!SpaceHome.holds("confidential", directory))
            #expect(SpaceHome.holds("mine", directory))
        }
    }

    @Test func `the file is written anew when a space was left, by the next run if that one was killed`() async throws {
        try await withHome { scene, home, directory in
            let ops = try await scene.space("ops", of: "ada")
            for number in 0..<150 { _ = try await scene.card("confidential \(number)", in: ops.id, by: "ada") }
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            _ = try await scene.user("bob").send(LeaveSpace(id: ops.id))
            _ = try await home.engine.sync()
            #expect(try await home.freePages() == 0)

            // What a run leaves that is killed after it has deleted the rows.
            let other = try DatabaseQueue(path: directory.file("bob.sqlite"))
            try await other.write { db in
                try db.execute(sql: "CREATE TABLE page (text TEXT); INSERT INTO page VALUES (hex(zeroblob(20000)))")
                try db.execute(sql: "DROP TABLE page; INSERT INTO meta (key, value) VALUES ('erase', '')")
            }
            #expect(try await home.freePages() > 0)
            _ = try await home.engine.sync()
            #expect(try await home.freePages() == 0)
            let notes = try await other.read { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM meta WHERE key = 'erase'")
            }
            #expect(notes == 0)
        }
    }

    @Test func `unsent writes into a space that was left are shown, and go when the user discards them`() async throws {
        try await withHome { scene, home, directory in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("confidential", in: ops.id, by: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            let base = try await home.cards.get(card.id, .cacheFirst).value
            _ = try await home.cards.update(card.id, to: Card("edited", in: ops.id), basedOn: base.version)
            _ = try await home.cards.create(Card("unsent", in: ops.id))

            _ = try await scene.user("ada").send(RemoveSpaceMember(id: ops.id, member: SpaceMember.ID("bob")))
            let report = try await home.engine.sync()
            #expect(report.rejected == 2 && report.conflicts == 0)
            let entries = try await home.store.entries()
            #expect(entries.map(\.state) == [.rejected, .rejected])
            #expect(entries.allSatisfy { $0.error?.contains("not a member") == true })
            // The user's own new card is shown until it is discarded; what the server had of the other one is not.
            #expect(try await home.texts() == ["unsent"])
            #expect(try await scene.user("ada").send(GetEntity<Card>(id: card.id)) == card)

            for entry in entries { try await home.store.discard(entry.id) }
            #expect(try await home.store.entries() == [])
            #expect(try await home.texts() == [])
            try await home.database.close()
            for text in ["confidential", "edited", "unsent"] { #expect(!SpaceHome.holds(text, directory), "\(text)") }
        }
    }

    @Test func `a run that only fetches takes the rows away, too, and keeps the writes`() async throws {
        try await withHome { scene, home, directory in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("confidential", in: ops.id, by: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            let base = try await home.cards.get(card.id, .cacheFirst).value
            _ = try await home.cards.update(card.id, to: Card("edited", in: ops.id), basedOn: base.version)
            _ = try await home.cards.create(Card("unsent", in: ops.id))
            _ = try await scene.user("bob").send(LeaveSpace(id: ops.id))

            _ = try await home.engine.sync(.now, .pull)
            let entries = try await home.store.entries()
            #expect(entries.map(\.state) == [.rejected, .rejected])
            #expect(entries.allSatisfy { $0.error?.isEmpty == false })
            #expect(try await home.texts() == ["unsent"])
            // The refusal is that of the server after a later run, and nothing comes back.
            for entry in entries { try await home.store.retry(entry.id) }
            _ = try await home.engine.sync()
            #expect(try await home.store.entries().map(\.state) == [.rejected, .rejected])
            try await home.database.close()
            #expect(!SpaceHome.holds("confidential", directory))
        }
    }

    @Test func `a row that was deleted in a space of one's own is a conflict as before`() async throws {
        try await withHome { scene, home, _ in
            let (ops, dev) = (try await scene.space("ops", of: "ada"), try await scene.space("dev", of: "ada"))
            let card = try await scene.card("a", in: ops.id, by: "ada")
            for space in [ops, dev] { try await scene.join(space.id, "bob", as: .editor, by: "ada") }
            _ = try await home.engine.sync()
            let base = try await home.cards.get(card.id, .cacheFirst).value
            _ = try await home.cards.update(card.id, to: Card("edited", in: ops.id), basedOn: base.version)
            _ = try await scene.user("ada").send(DeleteEntity<Card>(id: card.id, ifMatch: card.entityTag))
            // Another space was left: the round replaces all rows.
            _ = try await scene.user("bob").send(LeaveSpace(id: dev.id))
            let report = try await home.engine.sync(.now, .pull)
            #expect(report.conflicts == 1 && report.rejected == 0)
            #expect(try await home.store.entries().map(\.state) == [.conflicted])
        }
    }

    @Test func `a space and its rows are written without the server, and sent later`() async throws {
        try await withHome { scene, home, _ in
            let space = try await home.spaces.create(Space(name: "ops"))
            _ = try await home.cards.create(Card("a", in: space.id))
            let report = try await home.engine.sync()
            #expect(report.rejected == 0 && report.conflicts == 0)
            #expect(try await home.store.entries() == [])
            #expect(try await home.texts() == ["a"])
            #expect(try await scene.user("bob").send(ListEntities<Card>()).items.map(\.text) == ["a"])
        }
    }

    @Test func `who joins again has the rows and finds the refused edit beside them`() async throws {
        try await withHome { scene, home, _ in
            let ops = try await scene.space("ops", of: "ada")
            let card = try await scene.card("a", in: ops.id, by: "ada")
            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            let base = try await home.cards.get(card.id, .cacheFirst).value
            _ = try await home.cards.update(card.id, to: Card("edited", in: ops.id), basedOn: base.version)
            _ = try await scene.user("bob").send(LeaveSpace(id: ops.id))
            _ = try await home.engine.sync()
            #expect(try await home.texts() == [])

            try await scene.join(ops.id, "bob", as: .editor, by: "ada")
            _ = try await home.engine.sync()
            let entries = try await home.store.entries()
            #expect(entries.count == 1 && entries[0].mutation.fields["text"] == .string("edited"))
            #expect(try await scene.user("ada").send(GetEntity<Card>(id: card.id)) == card)
        }
    }
}
