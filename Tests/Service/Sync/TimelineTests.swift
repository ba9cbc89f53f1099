import Foundation
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// A service that is stopped, its file replaced, and started again.
@Suite struct TimelineTests {
    /// The database of a file, for tests that copy the file.
    private func open(_ path: String) async throws -> any Store { try await StoreEngine.sqlite.open(path) }

    /// Replaces the database with all of its files.
    private func copy(_ path: String, to target: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: target + suffix)
            guard FileManager.default.fileExists(atPath: path + suffix) else { continue }
            try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
        }
    }

    private func start(_ store: any Store) async throws {
        let service = try ServiceApplication(
            features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(),
            wallClock: ManualWallClock())
        try await service.prepare()
    }

    private func write(_ count: Int, _ prefix: String, to store: any Store) async throws {
        try await store.write { transaction in
            for index in 0..<count {
                _ = try NotesCollection().insert(
                    "\(prefix)\(index)", NoteDraft(text: "\(prefix) \(index)", level: 1), at: Date(), in: transaction)
            }
        }
    }

    private func cursor(_ store: any Store) async throws -> SyncCursor {
        try await store.read { reader in
            let position = try SyncTables.position(in: reader)
            return SyncCursor(
                origin: CursorOrigin(epoch: position.epoch, timeline: position.timeline, scope: ""), after: position.seq
            )
        }
    }

    private func isAccepted(_ cursor: SyncCursor, by store: any Store) async throws -> Bool {
        try await store.read { reader in
            do {
                let position = try SyncTables.position(in: reader)
                try cursor.origin.checkHistory(upTo: cursor.after, position, in: reader)
                return true
            } catch let error as ServiceError where error.problem.code == SyncCode.epochChanged {
                return false
            }
        }
    }

    @Test func `after a restore only clients that are ahead of the backup start again`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, backup) = ("\(directory)/data.db", "\(directory)/backup.db")
            var store = try await open(path)
            try await start(store)
            try await write(10, "a", to: store)
            let behind = try await cursor(store)
            try await StoreEngine.close(store)
            try copy(path, to: backup)

            store = try await open(path)
            try await start(store)
            let atRestart = try await cursor(store)
            try await write(5, "b", to: store)
            let ahead = try await cursor(store)
            #expect(try await isAccepted(behind, by: store), "a restart alone invalidates no cursor")
            #expect(try await isAccepted(ahead, by: store))
            try await StoreEngine.close(store)

            try copy(backup, to: path)
            store = try await open(path)
            try await start(store)
            #expect(try await isAccepted(behind, by: store))
            #expect(try await !isAccepted(ahead, by: store))
            #expect(try await !isAccepted(atRestart, by: store), "of a start that the backup has never heard of")
            // The counter passes the lost versions, so the number alone looks valid.
            try await write(50, "c", to: store)
            #expect(try await !isAccepted(ahead, by: store))
            #expect(try await isAccepted(behind, by: store))
            try await StoreEngine.close(store)
        }
    }

    @Test func `a backup of a running service is detected`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, backup) = ("\(directory)/data.db", "\(directory)/backup.db")
            let store = try await open(path)
            try await start(store)
            try await write(3, "a", to: store)
            _ = try await store.write { try $0.execute("CREATE TABLE mark (id INTEGER)") }
            try await StoreEngine.close(store)
            try copy(path, to: backup)
            // The same start goes on writing behind the copy.
            let original = try await open(path)
            try await write(3, "b", to: original)
            let ahead = try await cursor(original)
            try await StoreEngine.close(original)
            let restored = try await open(backup)
            try await start(restored)
            try await write(20, "c", to: restored)
            #expect(try await !isAccepted(ahead, by: restored))
            try await StoreEngine.close(restored)
        }
    }

    @Test func `a push based on lost versions is refused before it can hit other rows`() async throws {
        try await withService { service, client in
            try await service.fill(["a", "b"])
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let batch = MutationBatch(
                clientId: "c", mutations: [.patch("m1", of: "a", base: 1, text: "edit")], cursor: device.cursor)
            try await service.store.write { transaction in
                try transaction.execute("UPDATE sync_meta SET seq = 1, base = base - 1000000")
            }
            let reply = try await client.send(.post, "/v1/sync/mutations", body: try WireJSON.encode(batch))
            #expect(reply.status == 409)
            #expect(try reply.problem().code == SyncCode.epochChanged)
            var garbled = batch
            garbled.cursor = "x"
            let bad = try await client.send(.post, "/v1/sync/mutations", body: try WireJSON.encode(garbled))
            #expect(try bad.problem().code == SyncCode.invalidCursor && bad.status == 400)
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "On PostgreSQL the versions alone are the order."))
    func `a clock that is put back an hour, stands still or jumps leaves the times of writes in order`()
        async throws
    {
        try await withService { service, client in
            let jumps: [Duration] = [.zero, .seconds(-3600), .zero, .seconds(10), .seconds(7200), .seconds(-86_400)]
            for (index, jump) in jumps.enumerated() {
                service.wallClock.advance(by: jump)
                try await service.fill((0..<3).map { "n\(index)-\($0)" })
            }
            let changes = try await client.send(.get, "/v1/sync/changes").decoded(ChangesPage.self).changes
            #expect(changes.map(\.version) == Array(1...18))
            for (earlier, later) in zip(changes, changes.dropFirst()) {
                #expect(earlier.updatedAt < later.updatedAt)
            }
        }
    }

    @Test func `the number of timelines is bounded`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await StoreEngine.chosen.open("\(directory)/data.db")
            try await start(store)
            try await store.write { transaction in
                try transaction.execute("UPDATE sync_timeline SET place = 999999")
            }
            let old = try await cursor(store)
            try await store.write { transaction in
                for _ in 0..<10_001 { try SyncTimelines.begin(UUID().uuidString, at: Date(), in: transaction) }
            }
            try await expectRows(10_000, in: "sync_timeline", of: store)
            #expect(try await !isAccepted(old, by: store))
            try await StoreEngine.close(store)
        }
    }
}
