#if POSTGRES
    import Foundation
    import HTTPTypes
    import HummingbirdTesting
    import StrataConcurrency
    import StrataDomain
    import StrataFeatureTesting
    import StrataTesting
    import Testing

    @testable import StrataPostgres
    @testable import StrataService

    /// Named by berths, and synchronised.
    private struct Harbour: Entity {
        static let noun = "harbour"
        static let collection = "harbours"
        static let acceptsIDs = true
        static let changesNeedVersion = false
        static let fields: [EntityField<Harbour>] = [.init("name", \.name, .line(1...40))]
        var name: String
    }

    private struct Berth: Entity {
        static let noun = "berth"
        static let collection = "berths"
        static let fields: [EntityField<Berth>] = [
            .init("label", \.label, .line(1...40)), .init("harbour", \.harbour).references(Harbour.self),
        ]
        var label: String
        var harbour: Harbour.ID
    }

    private struct EntityFeature<Content: Entity>: FeatureService {
        let table = EntityTable<Content>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    /// A collection whose table has a rule that only the database checks.
    private struct Depths: FeatureService, SyncedTable {
        let name = "depths"
        let table = "depth"
        let columns = [SyncedColumn("metres", .integer)]
        var migrations: [StoreMigration] {
            [
                StoreMigration(
                    "depths-1",
                    """
                    CREATE TABLE depth (
                        id TEXT NOT NULL PRIMARY KEY, metres BIGINT NOT NULL, version BIGINT NOT NULL,
                        updated_at BIGINT NOT NULL, CHECK (metres < 100))
                    """)
            ]
        }
        var syncedCollections: [any SyncedCollection] { [self] }
        func mount(on routes: inout APIRoutes) {}
    }

    /// Runs something once, between the next read and what follows it.
    private final class InterposingStore: Store {
        private let base: any Store
        private let next = Mutex<(@Sendable () async throws -> Void)?>(nil)

        init(_ base: any Store) { self.base = base }

        func afterNextRead(_ body: @escaping @Sendable () async throws -> Void) { next.withLock { $0 = body } }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReader) throws -> Result
        ) async throws -> Result {
            let result = try await base.read(body)
            let body = next.withLock { next in
                defer { next = nil }
                return next
            }
            try await body?()
            return result
        }

        @discardableResult func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
        ) async throws -> Result {
            try await base.write(body)
        }

        func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
        var hasConcurrentWriters: Bool { base.hasConcurrentWriters }
    }

    /// Requests at two replicas that overlap.
    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .serialized,
        .timeLimit(.minutes(2)))
    struct `Requests that overlap on PostgreSQL` {
        private static let key = HTTPField.Name("Idempotency-Key")!
        private static let replayed = HTTPField.Name("Idempotency-Replayed")!

        /// Two replicas of a service, each with a store that `wrap` gives it.
        private func withReplicas(
            _ features: [any FeatureService], wrap: @escaping (any Store) -> any Store = { $0 },
            _ body: @escaping @Sendable ([PostgresStore], Client, Client) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let stores = [
                    try await PostgresTestServer.open("\(directory)/data", connections: 6),
                    try await PostgresTestServer.open("\(directory)/data", connections: 6),
                ]
                let services = try stores.map {
                    try ServiceApplication(
                        features: features, store: wrap($0), authenticator: SampleAuthenticator(), logger: .silent)
                }
                for service in services { try await service.prepare() }
                try await services[0].application().test(.router) { first in
                    let first = Client(client: first)
                    try await services[1].application().test(.router) { second in
                        try await body(stores, first, Client(client: second))
                    }
                }
                for store in stores { await store.close() }
            }
        }

        private func mutation(
            _ id: String, _ operation: Mutation.Operation, _ collection: String, _ entity: String,
            _ fields: [String: JSONValue] = [:]
        ) -> Mutation {
            Mutation(
                id: id, clientSeq: 1, collection: collection, entityId: entity, operation: operation, baseVersion: nil,
                fields: fields, at: Date(timeIntervalSince1970: 0))
        }

        @Test func `a row that a batch creates exists for the rest of the batch`() async throws {
            try await withReplicas([EntityFeature<Harbour>()]) { stores, client, _ in
                let results = try await SyncClientDouble(client).push(
                    mutation("m1", .create, "harbours", "a", ["name": "Lee"]), mutation("m2", .delete, "harbours", "a"))
                #expect(results.map(\.status) == [.applied, .applied])
                try await expectRows(0, in: "harbours", of: stores[0])
            }
        }

        @Test func `a rule that only the database checks rejects its mutation, and no other`() async throws {
            try await withReplicas([Depths()]) { stores, client, _ in
                let results = try await SyncClientDouble(client).push(
                    mutation("m1", .create, "depths", "a", ["metres": 500]),
                    mutation("m2", .create, "depths", "b", ["metres": 5]))
                #expect(results.map(\.status) == [.rejected, .applied])
                #expect(results.first?.error?.code == "constraint")
                try await expectRows(1, in: "depth", of: stores[0])
            }
        }

        @Test func `a request whose twin takes effect between its look-up and its write gets the twin's response`()
            async throws
        {
            let interposing = Mutex<[InterposingStore]>([])
            try await withReplicas([NotesFeature()]) { store in
                let store = InterposingStore(store)
                interposing.withLock { $0.append(store) }
                return store
            } _: { _, first, second in
                let note = try await first.send(.post, "/v1/notes", json: #"{"text":"once","level":1}"#)
                    .decoded(NotePayload.self)
                let twin = Mutex<Reply?>(nil)
                interposing.withLock { $0[0] }.afterNextRead {
                    let reply = try await second.send(.delete, "/v1/notes/\(note.id)", headers: [Self.key: "k"])
                    twin.withLock { $0 = reply }
                }
                let reply = try await first.send(.delete, "/v1/notes/\(note.id)", headers: [Self.key: "k"])
                #expect(twin.withLock { $0?.status } == 204)
                #expect(reply.status == 204, "the note is gone because of this very request")
                #expect(reply.headers[Self.replayed] == "true")
            }
        }

        @Test func `batches with cursors do not depend on each other`() async throws {
            let meeting = Meeting()
            try await withReplicas([EntityFeature<Harbour>()]) {
                OverlappingStore($0, at: meeting)
            } _: {
                stores, first, second in
                var readers = [SyncClientDouble(first), SyncClientDouble(second)]
                for place in readers.indices { try await readers[place].pullAll() }
                let bodies = try readers.enumerated().map { place, reader in
                    let cursor: String = try #require(reader.cursor)
                    let create = mutation("m", .create, "harbours", "h\(place)", ["name": "Lee"])
                    return try WireJSON.encode(
                        MutationBatch(
                            clientId: "c\(place)", mutations: [create], cursor: cursor))
                }
                meeting.convene(2)
                async let one = first.send(.post, "/v1/sync/mutations", as: "anna", body: bodies[0])
                async let two = second.send(.post, "/v1/sync/mutations", as: "bert", body: bodies[1])
                let statuses = try await [one.status, two.status]
                #expect(statuses == [200, 200])
                #expect(meeting.met == 1)
                #expect(stores.map(\.statistics.conflicts) == [0, 0])
                try await expectRows(2, in: "harbours", of: stores[0])
            }
        }

        @Test func `of a reference and the deletion of what it names, one is refused with a sentence`() async throws {
            let meeting = Meeting()
            try await withReplicas([EntityFeature<Harbour>(), EntityFeature<Berth>()]) {
                OverlappingStore($0, at: meeting)
            } _: { stores, first, second in
                for round in 0..<20 {
                    let id = "h\(round)"
                    let made = try await first.send(.post, "/v1/harbours", json: #"{"id":"\#(id)","name":"Lee"}"#)
                    #expect(made.status == 201, "\(made.text)")
                    meeting.convene(2)
                    async let berth = first.send(.post, "/v1/berths", json: #"{"label":"a","harbour":"\#(id)"}"#)
                    async let deletion = second.send(.delete, "/v1/harbours/\(id)")
                    let (created, deleted) = try await (berth, deletion)
                    meeting.convene(0)
                    if created.status == 201 {
                        #expect(deleted.status == 409)
                        #expect(try deleted.problem().detail?.contains("1 berth names the harbour '\(id)'") == true)
                    } else {
                        #expect(created.status == 422 && deleted.status == 204)
                        #expect(created.text.contains("names no harbour"))
                    }
                }
                #expect(meeting.met > 10, "the writes hardly ever overlapped")
                let orphans = try await stores[0].read { reader in
                    try reader.rows("SELECT id FROM berths WHERE harbour NOT IN (SELECT id FROM harbours)").count
                }
                #expect(orphans == 0)
            }
        }

        @Test func `a row that the digest does not count yet waits for the start of the service that counts it`()
            async throws
        {
            try await withReplicas([EntityFeature<Harbour>()]) { stores, client, _ in
                let made = try await client.send(.post, "/v1/harbours", json: #"{"id":"a","name":"Lee"}"#)
                #expect(made.status == 201, "\(made.text)")
                // As a migration leaves it.
                try await stores[1].write { transaction in
                    try transaction.execute("UPDATE sync_change SET bucket = -1")
                    try transaction.execute("DELETE FROM sync_digest_change")
                }
                #expect(try await client.send(.delete, "/v1/harbours/a").status == 503)
                try await DigestTable.complete(stores[1])
                #expect(try await client.send(.delete, "/v1/harbours/a").status == 204)
                let counts = try await stores[0].read { reader in
                    try reader.rows("SELECT SUM(count) AS count FROM sync_digest_change").map { try $0.int("count") }
                }
                #expect(counts == [0])
            }
        }
    }
#endif
