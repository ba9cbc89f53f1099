import FoundationEssentials
import Logging
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataService
import StrataTesting
import Testing

/// References between rows that are written without the server.
@Suite struct `References on this machine` {
    private struct Device {
        let store: OfflineStore
        let engine: SyncEngine

        init(_ name: String, in directory: TemporaryDirectory, client: any APIClient) async throws {
            let database = try await OfflineDatabase.open(
                at: directory.file("\(name).sqlite"),
                collections: [
                    OfflineEntityRepository<Team>.collection, OfflineEntityRepository<Shift>.collection,
                    OfflineEntityRepository<Badge>.collection, OfflineEntityRepository<Locker>.collection,
                ], log: .silent)
            store = OfflineStore(database: database)
            engine = SyncEngine(database: database, client: client)
        }

        func entities<Content: Entity>(_ entity: Content.Type) -> OfflineEntityRepository<Content> {
            OfflineEntityRepository(store, command: "x \(Content.commandName)") { () throws(DomainError) in
                _ = try await engine.sync()
            }
        }
        var teams: OfflineEntityRepository<Team> { entities(Team.self) }
        var shifts: OfflineEntityRepository<Shift> { entities(Shift.self) }
        var badges: OfflineEntityRepository<Badge> { entities(Badge.self) }
        var lockers: OfflineEntityRepository<Locker> { entities(Locker.self) }
    }

    /// Two devices of one user.
    private func withDevices(
        _ body: @escaping @Sendable (_ here: Device, _ there: Device, HTTPAPIClient) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withReferences { backend in
            let client = try backend.client()
            try await body(
                Device("here", in: directory, client: client), Device("there", in: directory, client: client), client)
        }
    }

    @Test func `a row is sent after the one that it names, whichever was written first`() async throws {
        try await withDevices { here, _, client in
            let locker = try await here.lockers.create(Locker(label: "a", team: nil))
            let team = try await here.teams.create(Team(name: "Platform"))
            // Folded into the create of the locker, which stands before that of the team.
            _ = try await here.lockers.update(locker.id, to: Locker(label: "a", team: team.id), basedOn: 0)
            let order = try await here.store.entries().map(\.mutation.collection)
            #expect(order == ["lockers", "teams"])

            let report = try await here.engine.sync()
            #expect(report.rejected == 0 && report.conflicts == 0)
            #expect(try await here.store.entries() == [])
            #expect(try await client.send(GetEntity<Locker>(id: locker.id)).team == team.id)
        }
    }

    @Test func `a row waits while the one that it names is refused`() async throws {
        try await withDevices { here, _, client in
            // The server refuses a name without a letter.
            let team = try await here.teams.create(Team(name: ""))
            let shift = try await here.shifts.create(Shift(title: "a", team: team.id))
            let report = try await here.engine.sync()
            #expect(report.rejected == 1 && report.conflicts == 0)
            #expect(try await here.store.entries().map(\.state) == [.rejected, .pending])

            _ = try await here.teams.update(team.id, to: Team(name: "Platform"), basedOn: 0)
            _ = try await here.engine.sync()
            #expect(try await here.store.entries() == [])
            #expect(try await client.send(GetEntity<Shift>(id: shift.id)).team == team.id)
        }
    }

    @Test func `a deletion is refused at once while rows here name what is deleted`() async throws {
        try await withDevices { here, _, _ in
            let team = try await here.teams.create(Team(name: "Platform"))
            let shift = try await here.shifts.create(Shift(title: "a", team: team.id))
            await #expect(
                throws: DomainError.conflict(
                    "1 row of shifts names '\(team.id)' as 'team'; change or delete it first.")
            ) {
                try await here.teams.delete(team.id, basedOn: 0)
            }
            #expect(try await here.teams.get(team.id, .cacheOnly).value == team)
            _ = try await here.engine.sync()

            try await here.shifts.delete(shift.id, basedOn: 0)
            try await here.teams.delete(team.id, basedOn: 0)
            let report = try await here.engine.sync()
            #expect(report.rejected == 0)
            #expect(try await here.store.entries() == [])
        }
    }

    @Test func `a deletion deletes and clears here at once, and then at the server`() async throws {
        try await withDevices { here, there, client in
            let team = try await here.teams.create(Team(name: "Platform"))
            let badge = try await here.badges.create(Badge(code: "a", team: team.id))
            let locker = try await here.lockers.create(Locker(label: "b", team: team.id))
            _ = try await here.engine.sync()
            // Here nothing is known of this one.
            let unknown = try await client.send(CreateEntity(Badge(code: "c", team: team.id)))

            try await here.teams.delete(team.id, basedOn: 0)
            #expect(try await here.badges.list(.cacheOnly).value.isEmpty)
            #expect(try await here.lockers.get(locker.id, .cacheOnly).value.team == nil)
            let report = try await here.engine.sync()
            #expect(report.rejected == 0 && report.conflicts == 0)
            #expect(try await here.store.entries() == [])
            for id in [badge.id, unknown.id] {
                #expect(await problem { try await client.send(GetEntity<Badge>(id: id)) }?.status == 404)
            }
            #expect(try await client.send(GetEntity<Locker>(id: locker.id)).team == nil)
            _ = try await there.engine.sync()
            #expect(try await there.teams.list(.cacheOnly).value.isEmpty)
            #expect(try await there.badges.list(.cacheOnly).value.isEmpty)
        }
    }

    @Test func `a row that was never sent goes with the one that it names`() async throws {
        try await withDevices { here, _, _ in
            let team = try await here.teams.create(Team(name: "Platform"))
            _ = try await here.badges.create(Badge(code: "a", team: team.id))
            try await here.teams.delete(team.id, basedOn: 0)
            #expect(try await here.store.entries() == [])
            #expect(try await here.badges.list(.cacheOnly).value.isEmpty)
        }
    }

    @Test func `a row whose target was deleted elsewhere is a conflict with a sentence`() async throws {
        try await withDevices { here, there, client in
            let team = try await here.teams.create(Team(name: "Platform"))
            _ = try await here.engine.sync()
            _ = try await there.engine.sync()
            let shift = try await here.shifts.create(Shift(title: "a", team: team.id))
            try await there.teams.delete(team.id, basedOn: 0)
            _ = try await there.engine.sync()

            let report = try await here.engine.sync()
            #expect(report.conflicts == 1 && report.rejected == 0)
            let conflict = try #require(try await here.store.conflicts().first)
            #expect(conflict.fields == ["team"] && conflict.entityId == shift.id.rawValue)
            #expect(conflict.reason.hasPrefix("The team '\(team.id)' was deleted; choose another one for 'team'."))
            #expect(try await here.shifts.get(shift.id, .cacheOnly).value.syncState == .conflicted)

            // Another team settles it.
            let other = try await here.teams.create(Team(name: "Other"))
            _ = try await here.shifts.update(shift.id, to: Shift(title: "a", team: other.id), basedOn: 0)
            _ = try await here.engine.sync()
            #expect(try await here.store.conflicts() == [])
            #expect(try await client.send(GetEntity<Shift>(id: shift.id)).team == other.id)
        }
    }

    @Test func `keeping the remote side of such a conflict drops what was written`() async throws {
        try await withDevices { here, there, client in
            let (team, other) = (
                try await here.teams.create(Team(name: "a")), try await here.teams.create(Team(name: "b"))
            )
            let shift = try await here.shifts.create(Shift(title: "a", team: other.id))
            _ = try await here.engine.sync()
            _ = try await there.engine.sync()
            _ = try await here.shifts.update(shift.id, to: Shift(title: "a", team: team.id), basedOn: 0)
            try await there.teams.delete(team.id, basedOn: 0)
            _ = try await there.engine.sync()
            _ = try await here.engine.sync()
            let conflict = try #require(try await here.store.conflicts().first)
            try await here.store.resolve(conflict.id, keeping: .remote)
            _ = try await here.engine.sync()
            #expect(try await here.store.entries() == [])
            #expect(try await here.shifts.get(shift.id, .cacheOnly).value.team == other.id)
            #expect(try await client.send(GetEntity<Shift>(id: shift.id)).team == other.id)
        }
    }

    @Test func `a deletion that the server refuses is here again, with the server's sentence`() async throws {
        try await withDevices { here, _, client in
            let team = try await here.teams.create(Team(name: "Platform"))
            _ = try await here.engine.sync()
            _ = try await client.send(CreateEntity(Shift(title: "unknown here", team: team.id)))
            try await here.teams.delete(team.id, basedOn: 0)
            let report = try await here.engine.sync()
            #expect(report.rejected == 1)
            let refused = try #require(try await here.store.entries().first)
            #expect(refused.error?.hasPrefix("1 shift names the team '\(team.id)'") == true)
            #expect(try await here.teams.get(team.id, .cacheOnly).value.name == "Platform")
        }
    }
}
