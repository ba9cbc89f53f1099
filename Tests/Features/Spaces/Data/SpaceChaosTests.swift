import FoundationEssentials
import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// Users who join and leave two spaces at random, while their homes write and synchronise.
struct SpaceChaosTests {
    private struct Run {
        let scene: SpaceScene
        let homes: [(user: String, home: SpaceHome)]
        let spaces: [Stored<Space>]
        var random: SeededRandom
        var members: [String: Set<Space.ID>] = [:]
        var failures: [String] = []
        private var number = 0

        init(_ scene: SpaceScene, in directory: TemporaryDirectory, seed: UInt64) async throws {
            self.scene = scene
            random = SeededRandom(seed: seed)
            spaces = [try await scene.space("secret-ops", of: "ada"), try await scene.space("secret-dev", of: "ada")]
            var homes: [(user: String, home: SpaceHome)] = []
            for user in ["bob", "eve"] {
                for place in 1...2 {
                    homes.append(
                        (user, try await SpaceHome("\(user)\(place)", in: directory, client: scene.user(user))))
                }
            }
            self.homes = homes
        }

        /// A text that tells its space.
        private mutating func text(of space: Space.ID) -> String {
            number += 1
            return "secret-\(spaces[0].id == space ? "ops" : "dev")-\(number)"
        }

        mutating func step() async throws {
            let space = spaces[Int.random(in: 0..<2, using: &random)]
            let (user, home) = homes[Int.random(in: 0..<homes.count, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: try await turn(user, in: space.id)
            case 2, 3: _ = try await scene.card(text(of: space.id), in: space.id, by: "ada")
            case 4:
                guard
                    let card = try await scene.user("ada").send(ListEntities<Card>()).items.randomElement(
                        using: &random)
                else { return }
                _ = try await scene.user("ada").send(DeleteEntity<Card>(id: card.id, ifMatch: card.entityTag))
            case 5, 6:
                let known = try await home.spaces.list(.cacheFirst).value.map(\.id)
                guard let space = known.randomElement(using: &random) else { return }
                _ = try await home.cards.create(Card(text(of: space), in: space))
            case 7:
                guard let card = try await home.cards.list(.cacheFirst).value.randomElement(using: &random) else {
                    return
                }
                // A row in conflict takes no edit.
                _ = try? await home.cards.update(
                    card.id, to: Card(text(of: card.spaceId), in: card.spaceId), basedOn: card.version)
            case 8: try await settle(home)
            default:
                _ = try await home.engine.sync()
                try await check(user, home)
            }
        }

        private mutating func turn(_ user: String, in space: Space.ID) async throws {
            if members[user]?.contains(space) == true {
                _ = try await scene.user(user).send(LeaveSpace(id: space))
                members[user]?.remove(space)
            } else {
                try await scene.join(space, user, as: .editor, by: "ada")
                members[user, default: []].insert(space)
            }
        }

        /// The user looks at what was refused, and drops it.
        private func settle(_ home: SpaceHome) async throws {
            for conflict in try await home.store.conflicts() {
                try await home.store.resolve(conflict.id, keeping: .remote)
            }
            while let entry = try await home.store.entries().first(where: { $0.state == .rejected }) {
                try await home.store.discard(entry.id)
            }
        }

        private mutating func check(_ user: String, _ home: SpaceHome) async throws {
            let own = members[user] ?? []
            let unsent = Set(try await home.store.entries().map(\.mutation.entityId))
            let shown = try await home.cards.list(.cacheFirst).value
            for card in shown where !unsent.contains(card.id.rawValue) && !own.contains(card.spaceId) {
                failures.append("\(user) has '\(card.text)' of a space that they are not in.")
            }
            let spaces = Set(try await home.spaces.list(.cacheFirst).value.map(\.id))
            if spaces != own { failures.append("\(user) has \(spaces.count) spaces, not \(own.count).") }
            guard unsent.isEmpty else { return }
            let there = try await scene.user(user).send(ListEntities<Card>(limit: 200)).items
            if Set(there.map(\.text)) != Set(shown.map(\.text)) {
                failures.append("\(user) has \(shown.count) cards, and the server \(there.count).")
            }
        }

        /// Everybody leaves, synchronises, and drops what was refused.
        mutating func end() async throws {
            for (user, spaces) in members {
                for space in spaces { _ = try await scene.user(user).send(LeaveSpace(id: space)) }
            }
            members = [:]
            for (user, home) in homes {
                _ = try await home.engine.sync()
                try await settle(home)
                _ = try await home.engine.sync()
                try await check(user, home)
                let left = try await home.store.entries()
                if !left.isEmpty { failures.append("\(user) cannot drop \(left.map(\.state)).") }
                try await home.database.close()
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `a home has what its user may read and nothing else, and in the end no text in any file`(
        seed: UInt64
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await SpaceScene.run { scene in
            var run = try await Run(scene, in: directory, seed: seed)
            for _ in 0..<120 { try await run.step() }
            try await run.end()
            #expect(run.failures == [])
            #expect(!SpaceHome.holds("secret-", directory))
        }
    }
}
