#if POSTGRES
    import Foundation
    import HTTPTypes
    import HummingbirdTesting
    import StrataConcurrency
    import StrataDomain
    import StrataFeatureTesting
    import StrataSystem
    import StrataTesting
    import Testing

    @testable import StrataPostgres
    @testable import StrataService

    /// The order of changes while writers run side by side. Transactions are held open by hand.
    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .serialized,
        .timeLimit(.minutes(2)))
    struct `The order of changes on PostgreSQL` {
        /// A service on one replica, and a second replica of it.
        private func withReplicas(
            _ body: @escaping @Sendable (PostgresStore, PostgresStore, Client) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", connections: 6)
                let other = try await PostgresTestServer.open("\(directory)/data", connections: 6)
                let service = try ServiceApplication(
                    features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                try await service.application().test(.router) { client in
                    try await body(store, other, Client(client: client))
                }
                await store.close()
                await other.close()
            }
        }

        /// A write that has its place, and waits before its COMMIT.
        private final class OpenWrite: Sendable {
            private let release = BlockingFlag()
            private let task: Task<Void, any Error>

            init(_ id: String, in store: any Store, fails: Bool = false) async throws {
                let (inside, release) = (BlockingFlag(), release)
                task = Task {
                    try await store.write { transaction in
                        _ = try NotesCollection().insert(
                            id, NoteDraft(text: id, level: 1), at: Date(), in: transaction)
                        inside.raise()
                        release.wait()
                        if fails { throw CancellationError() }
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
            }

            func end() async throws {
                release.raise()
                try await task.value
            }
        }

        private func insert(_ id: String, into store: any Store) async throws {
            try await store.write { transaction in
                _ = try NotesCollection().insert(id, NoteDraft(text: id, level: 1), at: Date(), in: transaction)
            }
        }

        @Test func `a change that is committed late is delivered late, and not skipped`() async throws {
            try await withReplicas { store, other, client in
                var reader = SyncClientDouble(client)
                try await insert("before", into: store)
                #expect(try await reader.pull().changes.map(\.id) == ["before"])
                let first = try await OpenWrite("first", in: other)
                try await insert("second", into: store)
                #expect(try await reader.pull().changes.isEmpty, "the second has a smaller neighbour that is open")
                let cursor = reader.cursor
                #expect(try await reader.pull().changes.isEmpty)
                #expect(reader.cursor == cursor, "a cursor names a change, and not the time")
                try await first.end()
                #expect(try await reader.pull().changes.map(\.id) == ["first", "second"])
            }
        }

        @Test func `transactions that are committed in another order are delivered in one order to all`() async throws {
            try await withReplicas { store, other, client in
                // The second transaction begins first, and writes last.
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let early = Task {
                    try await other.write { transaction in
                        // It has its id, and no change yet.
                        _ = try transaction.rows("SELECT pg_current_xact_id()::text AS id")
                        inside.raise()
                        release.wait()
                        _ = try NotesCollection().insert(
                            "early", NoteDraft(text: "early", level: 1), at: Date(), in: transaction)
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                try await insert("late", into: store)
                var reader = SyncClientDouble(client)
                #expect(try await reader.pull().changes.isEmpty)
                release.raise()
                try await early.value
                let changes = try await reader.pull(limit: 1).changes + reader.pull(limit: 1).changes
                #expect(changes.map(\.id) == ["early", "late"])
                #expect(changes[0].version < changes[1].version)
            }
        }

        @Test func `a transaction that is rolled back holds nothing up`() async throws {
            try await withReplicas { store, other, client in
                let open = try await OpenWrite("never", in: other, fails: true)
                try await insert("a", into: store)
                await #expect(throws: CancellationError.self) { try await open.end() }
                var reader = SyncClientDouble(client)
                #expect(try await reader.pull().changes.map(\.id) == ["a"])
            }
        }

        @Test func `a foreign transaction that writes holds up synchronisation only, and nothing is skipped`()
            async throws
        {
            try await withReplicas { store, _, client in
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                let schema = try await store.read { try $0.row("SELECT current_schema() AS name")?.text("name") }
                let location = try PostgresTestServer.location(schema ?? "")
                let foreign = try await runBlocking {
                    let connection = try PostgresConnection(location, application: "psql", limit: .seconds(10))
                    try connection.run("BEGIN; SELECT pg_current_xact_id()")
                    return connection
                }
                for number in 0..<3 {
                    let json = #"{"text":"note \#(number)","level":1}"#
                    #expect(try await client.send(.post, "/v1/notes", json: json).status == 201)
                }
                #expect(try await reader.pull().changes.isEmpty)
                let digest = try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
                #expect(digest.collections.allSatisfy { $0.count == 0 }, "a digest is of what a client may have")
                _ = try await runBlocking { try foreign.run("ROLLBACK") }
                #expect(try await reader.pull().changes.count == 3)
                let later = try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
                #expect(later.collections.map(\.count) == [3])
            }
        }

        @Test func `a cursor survives that the last change is written again behind an open transaction`() async throws {
            try await withReplicas { store, other, client in
                try await insert("a", into: store)
                try await insert("b", into: store)
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                let open = try await OpenWrite("open", in: other)
                try await store.write { transaction in
                    _ = try NotesCollection().update(
                        "b", NoteDraft(text: "again", level: 1), at: Date(), in: transaction)
                }
                // The change at the cursor has another version now.
                #expect(try await reader.pull().changes.isEmpty)
                try await open.end()
                #expect(try await reader.pull().changes.map(\.id) == ["open", "b"])
            }
        }

        @Test func `versions go on rising in a restored database whose server has smaller transaction ids`()
            async throws
        {
            try await withReplicas { store, _, client in
                try await insert("a", into: store)
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                // As if it had been dumped from a server that is a million transactions ahead.
                try await store.write { transaction in
                    let ahead = 1_000_000 << 16
                    try transaction.execute("UPDATE sync_change SET version = version + \(ahead)")
                    try transaction.execute("UPDATE note SET version = version + \(ahead)")
                    try transaction.execute("UPDATE sync_timeline SET started = started + \(ahead)")
                }
                var restored = SyncClientDouble(client)
                let service = try ServiceApplication(
                    features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                try await restored.pullAll()
                #expect(restored.rows.keys.sorted() == ["a"])
                try await insert("b", into: store)
                #expect(try await restored.pull().changes.map(\.id) == ["b"], "above what was restored")
                #expect(try await reader.pull().changes.map(\.id).contains("b"), "an older cursor converges")
            }
        }

        @Test func `the digest is the same before and after its changes are folded, also beside an open transaction`()
            async throws
        {
            try await withReplicas { store, other, client in
                for number in 0..<5 { try await insert("n\(number)", into: store) }
                try await store.write { transaction in
                    try ChangeLog.stamp(.delete, collection: "notes", id: "n0", at: Date(), in: transaction)
                    try transaction.execute("DELETE FROM note WHERE id = 'n0'")
                }
                func digest() async throws -> SyncDigest {
                    try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
                }
                let before = try await digest()
                #expect(before.collections.map(\.count) == [4])
                let open = try await OpenWrite("open", in: other)
                try await insert("behind", into: store)
                try await SyncTables.foldDigest(store)
                #expect(try await digest().collections == before.collections)
                try await expectRows(1, in: "sync_digest_change", of: store)
                try await open.end()
                try await SyncTables.foldDigest(store)
                try await expectRows(0, in: "sync_digest_change", of: store)
                #expect(try await digest().collections.map(\.count) == [6])
            }
        }

        @Test func `beside an open transaction no client compares its rows, of which some may be newer`() async throws {
            try await withReplicas { store, other, client in
                try await insert("a", into: store)
                let open = try await OpenWrite("open", in: other)
                // A client has the result of its own write, and cannot pull it yet.
                let device = SyncClientDouble(client)
                let own = try await device.push(.create("m", of: "own", text: "own"))[0]
                var reader = device
                let page = try await reader.pull()
                let seen = try #require(page.upTo)
                #expect(seen < (own.version ?? 0))
                var digest = try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
                #expect(digest.upTo > seen, "a client compares at the version that it has pulled")
                try await open.end()
                let last = try await reader.pull()
                digest = try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
                #expect(digest.upTo == last.upTo && digest.collections.map(\.count) == [3])
            }
        }

        @Test func `two starts at the same time begin two timelines, and neither refuses an older cursor`() async throws
        {
            try await withReplicas { store, other, client in
                try await insert("a", into: store)
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                async let first: Void = SyncTables.prepare(store, at: Date())
                async let second: Void = SyncTables.prepare(other, at: Date())
                _ = try await (first, second)
                let open = try await store.read { reader in
                    try reader.rows("SELECT name FROM sync_timeline WHERE started = \(SyncTimelines.unknown)").count
                }
                #expect(open == 0)
                try await insert("b", into: other)
                #expect(try await reader.pull().changes.map(\.id) == ["b"])
            }
        }

        @Test func `a transaction counts its changes below its own id`() async throws {
            try await withReplicas { store, _, _ in
                try await store.write { transaction in
                    for number in 0..<3 {
                        _ = try NotesCollection().insert(
                            "n\(number)", NoteDraft(text: "n\(number)", level: 1), at: Date(), in: transaction)
                    }
                }
                let versions = try await store.read { reader in
                    try reader.rows("SELECT version FROM sync_change ORDER BY entity_id").map { try $0.int("version") }
                }
                #expect(versions.map { $0 & 0xFFFF } == [1, 2, 3] && Set(versions.map { $0 >> 16 }).count == 1)
            }
        }

        @Test func `a program from before is refused, because its changes would have versions that clients passed`()
            async throws
        {
            try await withReplicas { store, _, _ in
                await #expect {
                    try await store.write { transaction in
                        _ = try transaction.row(
                            "UPDATE sync_meta SET seq = seq + 1, last_at = 5 WHERE id = 1 RETURNING seq, last_at")
                    }
                } throws: { error in
                    guard case StoreError.unavailable = error else { return false }
                    return true
                }
            }
        }

        @Test func `a pull that waits behind a transaction that stays open asks the database seldom`() async throws {
            try await withReplicas { store, other, client in
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                let open = try await OpenWrite("open", in: other)
                try await insert("behind", into: store)
                let cursor = try #require(reader.cursor)
                let before = store.statistics.roundTrips
                let page = try await client.send(.get, "/v1/sync/changes?wait=1&cursor=\(cursor)")
                    .decoded(ChangesPage.self)
                #expect(page.changes.isEmpty)
                // 8 before it waits; then after 5, 10, 20 ms and so on.
                #expect((9..<30).contains(store.statistics.roundTrips - before))
                try await open.end()
                #expect(try await reader.pull().changes.map(\.id) == ["open", "behind"])
            }
        }

        @Test func `a clock that is months ahead deletes no tombstone that waits for an older write`() async throws {
            try await withReplicas { store, other, client in
                try await insert("a", into: store)
                var reader = SyncClientDouble(client)
                try await reader.pullAll()
                let open = try await OpenWrite("open", in: other)
                try await store.write { transaction in
                    try ChangeLog.stamp(.delete, collection: "notes", id: "a", at: Date(), in: transaction)
                    try transaction.execute("DELETE FROM note WHERE id = 'a'")
                }
                try await store.write { transaction in
                    try SyncTables.prune(at: Date().addingTimeInterval(200 * 86_400), in: transaction)
                }
                #expect(try await reader.pull().changes.isEmpty)
                try await open.end()
                #expect(try await reader.pull().changes.map(\.id) == ["open", "a"])
            }
        }
    }
#endif
