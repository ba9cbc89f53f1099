import Foundation
import Logging
import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataOffline
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens on this machine` {
    /// A client's database with its engine.
    private struct Device {
        let store: OfflineStore
        let engine: SyncEngine
        let repository: OfflineEntityRepository<Specimen>

        init(_ name: String, in directory: TemporaryDirectory, client: any APIClient) async throws {
            let database = try await OfflineDatabase.open(
                at: directory.file("\(name).sqlite"),
                collections: [OfflineEntityRepository<Specimen>.collection],
                log: .silent)
            store = OfflineStore(database: database)
            let engine = SyncEngine(database: database, client: client)
            self.engine = engine
            repository = OfflineEntityRepository<Specimen>(store, command: "shiftlog specimens") {
                () throws(DomainError) in _ = try await engine.sync()
            }
        }
    }

    /// Two devices of one backend.
    private func withDevices(
        _ body: @escaping @Sendable (_ here: Device, _ there: Device) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            try await body(
                Device("here", in: directory, client: client), Device("there", in: directory, client: client))
        }
    }

    @Test(arguments: [Specimen.sample, .other, .least])
    func `what is written is there at once and queued`(specimen: Specimen) async throws {
        try await withDevices { here, _ in
            let added = try await here.repository.create(specimen)
            #expect(added.content == specimen && added.version == 0 && added.syncState == .queued)
            #expect(try await here.repository.list(.cacheFirst).value == [added])
            let entry = try #require(try await here.store.entries().first)
            #expect(entry.mutation.collection == "specimens" && entry.mutation.entityId == added.id.rawValue)
            #expect(try entry.mutation.fields == specimen.wireFields())
        }
    }

    @Test func `what is written here arrives there, whole and once`() async throws {
        try await withDevices { here, there in
            let added = try await here.repository.create(.sample)
            _ = try await here.engine.sync()
            _ = try await here.engine.sync()
            #expect(try await here.repository.get(added.id, .cacheFirst).value.syncState == .synced)
            let arrived = try await there.repository.list(.refresh).value
            #expect(arrived.map(\.content) == [.sample] && arrived.map(\.id) == [added.id])
            _ = try await there.repository.update(added.id, to: .other, basedOn: 0)
            _ = try await there.engine.sync()
            #expect(try await here.repository.get(added.id, .refresh).value.content == .other)
            try await here.repository.delete(added.id, basedOn: 0)
            _ = try await here.engine.sync()
            #expect(try await there.repository.list(.refresh).value.isEmpty)
        }
    }

    @Test(arguments: Specimen.fields.map(\.name))
    func `an edit of any field arrives, and so does its removal`(field: String) async throws {
        try await withDevices { here, there in
            let added = try await here.repository.create(.sample)
            _ = try await here.engine.sync()
            let value = try Specimen.other.wireFields()[field] ?? .null
            let edited = try Specimen.sample(field, value)
            _ = try await here.repository.update(added.id, to: edited, basedOn: 0)
            let cleared = (try? edited.changing([field: .null])) ?? edited
            _ = try await here.engine.sync()
            #expect(try await there.repository.list(.refresh).value.map(\.content) == [edited])
            _ = try await here.repository.update(added.id, to: cleared, basedOn: 0)
            _ = try await here.engine.sync()
            #expect(try await there.repository.list(.refresh).value.map(\.content) == [cleared])
        }
    }

    @Test(arguments: SyncConflict.Side.allCases)
    func `an edit here of what was removed there waits for a person, and nothing is lost`(
        side: SyncConflict.Side
    ) async throws {
        try await withDevices { here, there in
            let added = try await here.repository.create(.sample)
            _ = try await here.engine.sync()
            _ = try await there.engine.sync()
            try await there.repository.delete(added.id, basedOn: 0)
            _ = try await there.engine.sync()
            _ = try await here.repository.update(added.id, to: .other, basedOn: 0)
            _ = try await here.engine.sync()
            let kept = try await here.repository.get(added.id, .cacheFirst).value
            #expect(kept.content == .other && kept.syncState == .conflicted)
            let conflict = try #require(try await here.store.conflicts().first)
            try await here.store.resolve(conflict.id, keeping: side)
            _ = try await here.engine.sync()
            let expected: [Specimen] = side == .local ? [.other] : []
            #expect(try await there.repository.list(.refresh).value.map(\.content) == expected)
            #expect(try await here.repository.list(.refresh).value.map(\.content) == expected)
        }
    }

    @Test(arguments: Specimen.flaws)
    func `a value that breaks a rule is refused by the server, and stays to be seen`(
        field: String, value: JSONValue
    ) async throws {
        let flawed = try Specimen.sample(field, value)
        try await withDevices { here, there in
            // Past the rules of this side, as an older version of the program would be.
            let added = try await here.repository.create(flawed)
            _ = try await here.engine.sync()
            #expect(try await here.repository.get(added.id, .cacheFirst).value.syncState == .rejected)
            #expect(try await there.repository.list(.refresh).value.isEmpty)
        }
    }

    @Test func `a removal that the server refuses is an error, and the entity is here again`() async throws {
        let directory = try TemporaryDirectory()
        let database = try await OfflineDatabase.open(
            at: directory.file("here.sqlite"), collections: [OfflineEntityRepository<Specimen>.collection], log: .silent
        )
        let store = OfflineStore(database: database)
        let client = MockAPIClient()
        client.on(PushMutations.self) { push, _ in
            MutationResults(
                results: push.batch.mutations.map { mutation in
                    guard mutation.operation == .delete else {
                        return MutationResult(id: mutation.id, status: .applied, version: mutation.clientSeq)
                    }
                    let problem = Problem(title: "Conflict", status: 409, detail: "2 shelves hold it", code: "in_use")
                    return MutationResult(id: mutation.id, status: .rejected, error: problem)
                })
        }
        client.on(PullChanges.self) { _, _ in
            ChangesPage(changes: [], cursor: "c", hasMore: false, isReplacement: false)
        }
        let engine = SyncEngine(database: database, client: client, log: .silent)
        let repository = OfflineEntityRepository<Specimen>(
            store, command: "shiftlog specimens", sync: {}, settle: { _ = try? await engine.sync() })

        let added = try await repository.create(.sample)
        #expect(added.syncState == .synced)
        for _ in 0..<2 {
            let error = await #expect(throws: DomainError.self) { try await repository.delete(added.id, basedOn: 0) }
            guard case .conflict(let text)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("2 shelves hold it. It is here again") && text.contains("is in the outbox"))
            let kept = try await repository.get(added.id, .cacheFirst).value
            #expect(kept.content == .sample && kept.syncState == .rejected)
        }
        let sent = client.calls(to: PushMutations.self).flatMap(\.batch.mutations).map(\.id)
        #expect(sent.count == 3 && Set(sent).count == 3, "A second removal is a new write.")

        // An edit takes the place of the refused removal.
        let edited = try await repository.update(added.id, to: .other, basedOn: 0)
        #expect(edited.content == .other && edited.syncState == .synced)
        #expect(try await store.entries().isEmpty)
    }
}
