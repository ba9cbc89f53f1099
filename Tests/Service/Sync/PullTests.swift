import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct PullTests {
    private func fill(_ service: TestService, _ count: Int, prefix: String = "n") async throws {
        let (collection, now) = (service.feature.collection, service.wallClock.now)
        try await service.store.write { transaction in
            for index in 0..<count {
                _ = try collection.insert(
                    "\(prefix)\(index)", NoteDraft(text: "\(prefix) \(index)", level: 1), at: now, in: transaction)
            }
        }
    }

    private func delete(_ id: String, _ service: TestService) async throws {
        let now = service.wallClock.now
        try await service.store.write { transaction in
            try transaction.execute("DELETE FROM note WHERE id = \(id)")
            try ChangeLog.stamp(.delete, collection: "notes", id: id, at: now, in: transaction)
        }
    }

    @Test func `an empty server has an empty last page and a cursor to go on with`() async throws {
        try await withService { service, client in
            var device = SyncClientDouble(client)
            let page = try await device.pull()
            #expect(page.changes.isEmpty && !page.hasMore && page.isReplacement)
            try await fill(service, 1)
            let next = try await device.pull()
            #expect(next.changes.map(\.id) == ["n0"] && !next.isReplacement)
            #expect(next.changes[0].data == ["text": .string("n 0"), "level": .integer(1)])
        }
    }

    @Test func `pages of one round hang together and say so`() async throws {
        try await withService { service, client in
            try await fill(service, 25)
            var device = SyncClientDouble(client)
            var sizes: [Int] = []
            var page: ChangesPage
            repeat {
                page = try await device.pull(limit: 10)
                #expect(page.isReplacement)
                sizes.append(page.changes.count)
            } while page.hasMore && sizes.count < 100
            #expect(sizes == [10, 10, 5])
            expectRising(device.seen, count: 25)
            #expect(try await device.pull().isReplacement == false)
        }
    }

    @Test func `a page ends before 1 MiB, and the next page continues there`() async throws {
        try await withService { service, client in
            // Each 100 KB, and twice that as JSON: every second character is escaped.
            try await service.fill((0..<20).map { "n\(100 + $0)" }, text: String(repeating: "\n", count: 100_000))
            var device = SyncClientDouble(client)
            var sizes: [Int] = []
            while sizes.count < 20 {
                let page = try await device.pull(limit: 1000)
                #expect(try WireJSON.encode(page).count <= PageLimit.bytes)
                sizes.append(page.changes.count)
                if !page.hasMore { break }
            }
            #expect(sizes == [5, 5, 5, 5])
            expectRising(device.seen, count: 20)
        }
    }

    @Test func `a page that is exactly full is the last one when nothing follows`() async throws {
        try await withService { service, client in
            try await fill(service, 10)
            var device = SyncClientDouble(client)
            #expect(try await device.pull(limit: 10).hasMore == false)
        }
    }

    @Test func `rows that change between pages arrive once in each version`() async throws {
        try await withService { service, client in
            try await fill(service, 40)
            var device = SyncClientDouble(client)
            var round = 0
            var hasMore = true
            while hasMore && round < 100 {
                hasMore = try await device.pull(limit: 7).hasMore
                round += 1
                // Behind the reader, in front of the reader, new, and gone.
                let now = service.wallClock.now
                let (collection, step) = (service.feature.collection, round)
                try await service.store.write { transaction in
                    for id in ["n\(step)", "n\(39 - step)"] {
                        _ = try collection.update(
                            id, NoteDraft(text: "\(id) edited \(step)", level: 2), at: now, in: transaction)
                    }
                }
                try await fill(service, 1, prefix: "new\(round)-")
                try await delete("n\(20 + round)", service)
            }
            #expect(!hasMore)
            try await device.pullAll(limit: 7)
            let server = try await service.store.read { reader in
                try reader.rows("SELECT * FROM note").map(NotePayload.init)
            }
            #expect(Set(device.rows.keys) == Set(server.map(\.id)))
            for note in server {
                #expect(device.rows[note.id]?.version == note.version)
                #expect(device.rows[note.id]?.data?["text"] == .string(note.text))
            }
            #expect(Set(device.seen).count == device.seen.count)
        }
    }

    @Test func `readers during concurrent writes miss no change and see none twice`() async throws {
        try await withService { service, client in
            let collection = service.feature.collection
            let store = service.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for index in 0..<50 {
                            try await store.write { transaction in
                                _ = try collection.insert(
                                    "w\(writer)-\(index)", NoteDraft(text: "w\(writer)-\(index)", level: 1), at: Date(),
                                    in: transaction)
                            }
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        var device = SyncClientDouble(client)
                        // Far more than it needs: a row that is missed ends the loop with a sentence.
                        for _ in 0..<20_000 where device.rows.count < 200 { _ = try await device.pull(limit: 9) }
                        #expect(device.rows.count == 200)
                        #expect(device.seen == device.seen.sorted())
                        #expect(Set(device.seen).count == device.seen.count)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a client that has a row gets its tombstone, and a new client does not`() async throws {
        try await withService { service, client in
            try await fill(service, 2)
            var old = SyncClientDouble(client)
            try await old.pullAll()
            try await delete("n0", service)
            let page = try await old.pull()
            #expect(page.changes.map(\.operation) == [.delete])
            #expect(page.changes[0].data == nil)
            #expect(old.rows.keys.sorted() == ["n1"])
            var new = SyncClientDouble(client)
            #expect(try await new.pull().changes.map(\.id) == ["n1"])
        }
    }

    @Test func `a cursor older than the tombstones is 410, and a younger one continues`() async throws {
        try await withService { service, client in
            let application = try service.application()
            try await fill(service, 3)
            var old = SyncClientDouble(client)
            try await old.pullAll()
            try await delete("n0", service)
            var young = SyncClientDouble(client)
            try await young.pullAll()
            service.wallClock.advance(by: .seconds(91 * 24 * 3600))
            let now = service.wallClock.now
            try await service.store.write { try SyncTables.prune(at: now, in: $0) }
            let expired = try await client.send(.get, "/v1/sync/changes?cursor=\(old.cursor ?? "")")
            #expect(expired.status == 410)
            #expect(try expired.problem().code == "cursor_expired")
            #expect(try await young.pull().changes.isEmpty)
            old.cursor = nil
            old.rows = [:]
            try await old.pullAll(limit: 1)
            #expect(old.rows.keys.sorted() == ["n1", "n2"])
            _ = application
        }
    }

    @Test func `the changes of a row are forgotten with its tombstone, and those of others stay`() async throws {
        try await withService { service, client in
            try await fill(service, 2)
            try await delete("n0", service)
            try await service.store.write { transaction in
                let collection = try transaction.row("SELECT collection FROM sync_change")?.text("collection")
                for id in ["n0", "n1"] {
                    try transaction.execute(
                        """
                        INSERT INTO row_change (collection, entity_id, version, at, operation, fields)
                        VALUES (\(collection), \(id), 1, 1, 'update', '')
                        """)
                }
            }
            service.wallClock.advance(by: .seconds(91 * 24 * 3600))
            let now = service.wallClock.now
            try await service.store.write { try SyncTables.prune(at: now, in: $0) }
            let left = try await service.store.read { reader in
                try reader.rows("SELECT entity_id FROM row_change").map { try $0.text("entity_id") }
            }
            #expect(left == ["n1"])
        }
    }

    @Test func `when the data was replaced every cursor is 409`() async throws {
        try await withService { service, client in
            try await fill(service, 3)
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            try await service.store.write { try $0.execute("UPDATE sync_meta SET seq = 1, base = base - 1000000") }
            let rolledBack = try await client.send(.get, "/v1/sync/changes?cursor=\(cursor)")
            #expect(try rolledBack.problem().code == "epoch_changed")
            try await service.store.write { try $0.execute("UPDATE sync_meta SET seq = 3, epoch = 'other'") }
            let replaced = try await client.send(.get, "/v1/sync/changes?cursor=\(cursor)")
            #expect(replaced.status == 409)
            #expect(try replaced.problem().code == "epoch_changed")
        }
    }

    @Test func `a cursor that this server did not write is 400, with every single bit`() async throws {
        let cursor = SyncCursor(
            origin: CursorOrigin(epoch: "e", timeline: "t", scope: "s"), after: 12, upTo: 40, isReplacement: true)
        #expect(SyncCursor(cursor.text) == cursor)
        let bytes = try #require(Base64URL.decode(cursor.text))
        for index in bytes.indices {
            for bit in 0..<8 {
                var broken = bytes
                broken[index] ^= 1 << UInt8(bit)
                #expect(SyncCursor(Base64URL.encode(broken)) == nil)
            }
        }
        for length in 0..<cursor.text.count { #expect(SyncCursor(String(cursor.text.prefix(length))) == nil) }
    }

    @Test func `without collections there is nothing to pull`() async throws {
        struct Nothing: FeatureService {
            let migrations: [StoreMigration] = []
            func mount(on routes: inout APIRoutes) {}
        }
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            let application = try ServiceApplication(
                features: [Nothing()], store: service.store, authenticator: SampleAuthenticator())
            try await application.prepare()
            try await application.application().test(.router) { client in
                var device = SyncClientDouble(Client(client: client))
                let page = try await device.pull()
                #expect(page.changes.isEmpty)
            }
            try await service.close()
        }
    }
}

/// Each change once, in order; with one writer at a time the versions are the numbers from 1.
private func expectRising(_ versions: [Int], count: Int) {
    #expect(versions.count == count && zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    if StoreEngine.chosen.isSQLite { #expect(versions == Array(1...count)) }
}
