import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// The server's part of references, on the chosen engine.
@Suite struct `A reference to another entity` {
    @Test func `with each rule keeps the contract of an entity`() async throws {
        #expect(try await EntityContract<Shift>(ReferenceService<Shift>()).failures() == [])
        #expect(try await EntityContract<Badge>(ReferenceService<Badge>()).failures() == [])
        #expect(try await EntityContract<Locker>(ReferenceService<Locker>()).failures() == [])
        #expect(try await EntityContract<Lock>(ReferenceService<Lock>()).failures() == [])
    }

    struct Broken: Entity {
        static let noun = "broken"
        static let collection = "brokens"
        static let fields: [EntityField<Broken>] = [
            .init("team", \.team).references(Team.self, onDelete: .clear)
        ]
        var team: Team.ID
    }

    @Test func `that cannot be kept is reported by the contract`() async throws {
        let failures = try await EntityContract<Broken>(ReferenceService<Broken>()).failures()
        #expect(failures.first == "'team' is cleared when what it names is deleted, and must be optional.")
    }

    @Test func `is a foreign key with an index, in a table that comes after the other`() throws {
        let migrations = EntityTable<Shift>().migrations
        #expect(migrations.map(\.name) == ["shifts-1", "shifts-index-title", "shifts-index-team"])
        #expect(migrations[0].earlier == ["teams-1"])
        #expect(migrations[0].statements[0].contains("team TEXT NOT NULL REFERENCES teams (id)"))
        #expect(EntityTable<Locker>().migrations[0].statements[0].contains("team TEXT REFERENCES teams (id)"))
    }

    @Test func `to an entity without a table stops the start with a sentence`() async throws {
        await #expect(throws: MigrationOrderError.missing("teams-1", neededBy: "shifts-1")) {
            try await withBackend(ReferenceService<Shift>()) { _ in }
        }
    }

    struct Node: Entity {
        static let noun = "node"
        static let collection = "nodes"
        static let fields: [EntityField<Node>] = [
            .init("title", \.title, .line(1...40)),
            .init("parent", \.parent).references(Node.self, onDelete: .cascade).since(2),
        ]
        var title: String
        var parent: Node.ID?
    }

    @Test func `to its own kind stops the start, also in a column that was added later`() async throws {
        let error = await #expect(throws: ReferenceCircle.self) {
            try await withBackend(ReferenceService<Node>()) { _ in }
        }
        #expect(error?.collections == ["nodes", "nodes"])
        #expect(error?.description.contains("(nodes > nodes)") == true)
    }

    @Test func `names what restricts a deletion, and how many`() async throws {
        try await withReferences { backend in
            let client = try backend.client()
            let team = try await client.team("Platform")
            for number in 1...3 {
                _ = try await client.send(CreateEntity(Shift(title: "shift \(number)", team: team.id)))
            }
            let refused = await problem { try await client.send(DeleteEntity<Team>(id: team.id, ifMatch: nil)) }
            #expect(refused?.status == 409 && refused?.code == "constraint")
            #expect(
                refused?.detail
                    == "3 shifts name the team '\(team.id)' as 'team'; change or delete them first.")
            let pushed = try await client.push(.delete, team.id, base: team.version)
            #expect(pushed.status == .rejected && pushed.error?.detail == refused?.detail)
            #expect(try await client.send(GetEntity(id: team.id)) == team)
        }
    }

    @Test(arguments: [true, false])
    func `is followed by a deletion in one transaction that clients hear of`(bySync: Bool) async throws {
        try await withReferences { backend in
            let client = try backend.client()
            let team = try await client.team("Platform")
            let badge = try await client.send(CreateEntity(Badge(code: "a", team: team.id)))
            let locker = try await client.send(CreateEntity(Locker(label: "b", team: team.id)))
            let lock = try await client.send(CreateEntity(Lock(code: "c", locker: locker.id, team: team.id)))
            let other = try await client.send(CreateEntity(Lock(code: "d", locker: locker.id, team: nil)))
            let cursor = try await client.send(PullChanges()).cursor

            if bySync {
                #expect(try await client.push(.delete, team.id, base: team.version).status == .applied)
            } else {
                _ = try await client.send(DeleteEntity<Team>(id: team.id, ifMatch: team.entityTag))
            }

            let changes = try await client.send(PullChanges(cursor: cursor)).changes
            let gone = changes.filter { $0.operation == .delete }.map(\.id)
            #expect(Set(gone) == [badge.id.rawValue, lock.id.rawValue, team.id.rawValue])
            #expect(gone.last == team.id.rawValue, "What names a row goes before it.")
            let cleared = changes.filter { $0.operation == .put }
            #expect(cleared.map(\.id) == [locker.id.rawValue])
            #expect(cleared.first?.data?["team"] == nil && (cleared.first?.version ?? 0) > locker.version)
            #expect(try await client.send(GetEntity(id: locker.id)).team == nil)
            #expect(try await client.send(GetEntity(id: other.id)) == other)
            let digest = try await client.send(FetchDigest(collections: "badges")).collections.first?.count
            #expect(digest == 0)
        }
    }

    @Test func `restricts a deletion that would go through other rows`() async throws {
        try await withReferences { backend in
            let client = try backend.client()
            let locker = try await client.send(CreateEntity(Locker(label: "b", team: nil)))
            let lock = try await client.send(CreateEntity(Lock(code: "c", locker: locker.id, team: nil)))
            let refused = await problem { try await client.send(DeleteEntity<Locker>(id: locker.id, ifMatch: nil)) }
            #expect(refused?.detail?.hasPrefix("1 lock names the locker") == true)
            _ = try await client.send(DeleteEntity<Lock>(id: lock.id, ifMatch: lock.entityTag))
            _ = try await client.send(DeleteEntity<Locker>(id: locker.id, ifMatch: nil))
        }
    }

    @Test func `to a row that the writer does not see is as if it were missing`() async throws {
        try await withReferences { backend in
            let (ada, bob) = (try backend.client(), try backend.client(as: "bob"))
            let locker = try await ada.send(CreateEntity(Locker(label: "b", team: nil)))
            let foreign = Lock(code: "c", locker: locker.id, team: nil)
            let missing = Lock(code: "c", locker: Locker.ID("nowhere"), team: nil)
            let refusals = [
                await problem { try await bob.send(CreateEntity(foreign)) },
                await problem { try await bob.send(CreateEntity(missing)) },
            ]
            #expect(refusals.map { $0?.status } == [422, 422])
            #expect(refusals.map { $0?.errors?.map(\.field) } == [["locker"], ["locker"]])
            #expect(
                refusals[0]?.errors?[0].message.replacing(locker.id.rawValue, with: "nowhere")
                    == refusals[1]?.errors?[0].message)
            #expect(await problem { try await bob.send(ListReferring<Lock, Locker>(id: locker.id)) }?.status == 404)

            // What another user has set may stay.
            let lock = try await ada.send(CreateEntity(foreign))
            let edit = PatchEntity<Lock>(id: lock.id, ifMatch: lock.entityTag, ["code": .string("d")])
            #expect(try await bob.send(edit).locker == locker.id)
            // Bob deletes nothing that he does not see, also by a reference.
            let refused = await problem { try await bob.send(DeleteEntity<Locker>(id: locker.id, ifMatch: nil)) }
            #expect(refused?.status == 404)
        }
    }

    @Test func `deletes no row that the user must not delete, and clears each`() async throws {
        try await withReferences { backend in
            let (ada, bob) = (try backend.client(), try backend.client(as: "bob"))
            let team = try await bob.team("Platform")
            let badge = try await ada.send(CreateEntity(Badge(code: "a", team: team.id)))
            let locker = try await ada.send(CreateEntity(Locker(label: "b", team: team.id)))
            let delete = DeleteEntity<Team>(id: team.id, ifMatch: team.entityTag)
            let refused = await problem { try await bob.send(delete) }
            #expect(refused?.status == 409 && refused?.detail?.contains("other authors") == true)
            #expect(try await ada.send(GetEntity(id: locker.id)) == locker, "A refused deletion has no effect.")
            _ = try await ada.send(DeleteEntity<Badge>(id: badge.id, ifMatch: nil))
            _ = try await bob.send(delete)
            let cleared = try await ada.send(GetEntity(id: locker.id))
            #expect(cleared.team == nil && cleared.author == "ada")
            #expect(try await bob.send(PullChanges()).changes.allSatisfy { $0.collection != "lockers" })
        }
    }

    @Test func `has a list below the entity that is named, with filters and pages`() async throws {
        try await withReferences { backend in
            let client = try backend.client()
            let (team, other) = (try await client.team("a"), try await client.team("b"))
            for number in 1...5 {
                let owner = number == 3 ? other.id : team.id
                _ = try await client.send(CreateEntity(Shift(title: "shift \(number)", team: owner)))
            }
            var titles: [String] = []
            var cursor: String?
            repeat {
                let query = EntityQuery<Shift>(sort: .init("title"), limit: 2)
                let page = try await client.send(ListReferring<Shift, Team>(id: team.id, query, cursor: cursor))
                titles += page.items.map(\.title)
                cursor = page.nextCursor
            } while cursor != nil && titles.count < 10
            #expect(titles == ["shift 1", "shift 2", "shift 4", "shift 5"])
            let found = ListReferring<Shift, Team>(id: team.id, EntityQuery(search: "4"))
            #expect(try await client.send(found).items.map(\.title) == ["shift 4"])
            let twice = EntityQuery<Shift>(filters: ["team": .string(other.id.rawValue)])
            let refused = await problem { try await client.send(ListReferring<Shift, Team>(id: team.id, twice)) }
            #expect(refused?.status == 400 && refused?.errors?.map(\.field) == ["team"])
            #expect(ListReferring<Shift, Team>.route.template == "/v1/teams/{id}/shifts")
        }
    }

    @Test func `to a row that was deleted is a conflict for what was written offline`() async throws {
        try await withReferences { backend in
            let client = try backend.client()
            let team = try await client.team("Platform")
            _ = try await client.send(DeleteEntity<Team>(id: team.id, ifMatch: nil))
            let content = try Shift(title: "a", team: team.id).wireFields()
            let result = try await client.push(.create, Shift.ID("s-1"), content)
            #expect(result.status == .rejected && result.error?.code == SyncCode.referenceDeleted)
            #expect(result.error?.errors?.map(\.field) == ["team"])
            let refused = await problem { try await client.send(CreateEntity(Shift(title: "a", team: team.id))) }
            #expect(refused?.status == 422 && refused?.errors?.map(\.field) == ["team"])
        }
    }
}
