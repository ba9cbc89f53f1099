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

    private struct Refused: Error {}

    private let isOpen = ReadCondition("SELECT id FROM gate WHERE id = 'open'") { row in
        guard row != nil else { throw Refused() }
    }

    /// Reads that count only if a row is as expected.
    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .serialized,
        .timeLimit(.minutes(2)))
    struct `Reads with a condition on PostgreSQL` {
        private func withStore(open: Bool, _ body: (PostgresStore) async throws -> Void) async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", connections: 1)
                try await store.migrate([
                    StoreMigration(
                        "gate", "CREATE TABLE gate (id TEXT NOT NULL PRIMARY KEY)", "INSERT INTO gate (id) VALUES ('b')"
                    )
                ])
                if open { try await store.write { _ = try $0.execute("INSERT INTO gate (id) VALUES ('open')") } }
                try await body(store)
                // The only connection is in no transaction, and of use.
                #expect(try await store.read { try $0.rows("SELECT id FROM gate").count } == (open ? 2 : 1))
                await store.close()
            }
        }

        private func trips(_ store: PostgresStore, _ body: () async throws -> Void) async throws -> Int {
            let before = store.statistics.roundTrips
            try await body()
            return store.statistics.roundTrips - before
        }

        @Test func `the condition and the first statement take one round trip`() async throws {
            try await withStore(open: true) { store in
                for _ in 0..<2 {
                    let count = try await trips(store) {
                        let row = try await store.read(if: isOpen) { reader in
                            try reader.row("SELECT id FROM gate WHERE id = 'b'")?.text("id")
                        }
                        #expect(row == "b")
                    }
                    #expect(count == 1)
                }
            }
        }

        @Test(arguments: [0, 1, 2, 3])
        func `a read of several statements counts only if the condition holds`(statements: Int) async throws {
            for open in [true, false] {
                try await withStore(open: open) { store in
                    // The second time the connection knows that others follow the first statement.
                    for _ in 0..<2 {
                        let read: () async throws -> [Int] = {
                            try await store.read(if: isOpen) { reader in
                                try (0..<statements).map { number in
                                    try reader.row("SELECT \(number) AS number")?.int("number") ?? -1
                                }
                            }
                        }
                        if open {
                            let numbers = try await read()
                            #expect(numbers == Array(0..<statements))
                        } else {
                            await #expect(throws: Refused.self) { try await read() }
                        }
                    }
                }
            }
        }

        @Test func `a body sees no row when the condition fails, and cannot go on by catching the error`() async throws
        {
            try await withStore(open: false) { store in
                let seen = Mutex(0)
                await #expect(throws: Refused.self) {
                    try await store.read(if: isOpen) { reader in
                        do {
                            try reader.forEachRow(of: "SELECT id FROM gate") { _ in
                                seen.withLock { $0 += 1 }
                                return true
                            }
                        } catch {}
                        return 1
                    }
                }
                #expect(seen.withLock { $0 } == 0)
            }
        }

        @Test func `the error of a body counts only if the condition holds`() async throws {
            try await withStore(open: false) { store in
                await #expect(throws: Refused.self) {
                    try await store.read(if: isOpen) { _ in throw ServiceError.unexpected }
                }
            }
            try await withStore(open: true) { store in
                await #expect(throws: ServiceError.self) {
                    try await store.read(if: isOpen) { _ in throw ServiceError.unexpected }
                }
                await #expect(throws: StoreError.self) {
                    try await store.read(if: isOpen) { try $0.rows("SELECT nothing FROM gate") }
                }
            }
        }
    }

    /// A caller is a row of `caller`: its role is read with each request.
    private final class StoredCallers: Authenticator {
        let store: any Store
        let known = Mutex<[String: Principal]>([:])

        init(_ store: any Store) { self.store = store }

        private static func query(_ token: String) -> Statement { "SELECT role FROM caller WHERE id = \(token)" }

        private static func principal(_ token: String, _ row: StoreRow?) throws -> Principal {
            guard let row else { throw ServiceError.unauthorized("The session has ended.") }
            return .user(.init(id: token, username: token, isAdmin: try row.text("role") == "admin", sessionId: token))
        }

        func principal(bearer token: String) async throws -> Principal {
            let caller = try await store.read { try Self.principal(token, $0.row(Self.query(token))) }
            known.withLock { $0[token] = caller }
            return caller
        }

        func expected(bearer token: String) async throws -> ExpectedPrincipal? {
            known.withLock { $0[token] }.map { caller in
                ExpectedPrincipal(
                    caller,
                    if: ReadCondition(Self.query(token)) { row in
                        guard try Self.principal(token, row) == caller else { throw Refused() }
                    })
            }
        }

        func principal(apiKey: String) async throws -> Principal { throw ServiceError.unauthorized("Nobody.") }
    }

    private struct Buoy: Entity {
        static let noun = "buoy"
        static let collection = "buoys"
        static let fields: [EntityField<Buoy>] = [.init("name", \.name, .line(1...40))]
        var name: String
    }

    private struct GetSecret: RoutedEndpoint {
        static let route = Route.get("/v1/secrets/{number}")
        @Path var number: Int
        typealias Response = [String]
    }

    private struct Buoys: FeatureService {
        let table = EntityTable<Buoy>()
        var migrations: [StoreMigration] {
            table.migrations + [
                StoreMigration("caller", "CREATE TABLE caller (id TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL)")
            ]
        }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) {
            table.mount(on: &routes)
            routes.read(GetSecret.self, for: .admins) { call, scope, _ in ["\(call.number) of \(try scope.user().id)"] }
        }
    }

    /// Counts its reads, and fails each while the database is said to be away.
    private final class FailingStore: Store {
        private let base: any Store
        private let state = Mutex((isAway: false, reads: 0))

        init(_ base: any Store) { self.base = base }

        /// The reads of `body`, during which the database is away.
        func readsWhileAway(_ body: () async throws -> Void) async throws -> Int {
            state.withLock { $0 = (true, 0) }
            try await body()
            return state.withLock { state in
                defer { state = (false, 0) }
                return state.reads
            }
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReader) throws -> Result
        ) async throws -> Result {
            let isAway = state.withLock { state in
                state.reads += 1
                return state.isAway
            }
            guard !isAway else { throw StoreError.unavailable("The database is away.") }
            return try await base.read(body)
        }

        @discardableResult func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
        ) async throws -> Result {
            try await base.write(body)
        }

        func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
        var hasConcurrentWriters: Bool { base.hasConcurrentWriters }
    }

    /// A request of a caller whom the replica knows asks the database who it is with its first statement.
    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .serialized,
        .timeLimit(.minutes(2)))
    struct `Callers that a replica knows` {
        private func withBuoys(_ body: @escaping @Sendable (PostgresStore, Client) async throws -> Void) async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", connections: 1)
                let service = try ServiceApplication(
                    features: [Buoys()], store: store, authenticator: StoredCallers(store), logger: .silent)
                try await service.prepare()
                try await store.write { _ = try $0.execute("INSERT INTO caller (id, role) VALUES ('anna', 'admin')") }
                try await service.application().test(.router) { try await body(store, Client(client: $0)) }
                await store.close()
            }
        }

        private func change(_ store: PostgresStore, _ statement: Statement) async throws {
            try await store.write { _ = try $0.execute(statement) }
        }

        @Test func `a get takes one round trip with the caller, and a create with a key three`() async throws {
            try await withBuoys { store, client in
                let key = HTTPField.Name("Idempotency-Key")!
                var made: Reply?
                var trips: [Int] = []
                for number in 0..<3 {
                    let before = store.statistics.roundTrips
                    made = try await client.send(
                        .post, "/v1/buoys", headers: [key: "k\(number)"], json: #"{"name":"buoy \#(number)"}"#)
                    trips.append(store.statistics.roundTrips - before)
                }
                #expect(trips[2] == 3, "\(trips)")
                let id = try #require(try made?.decoded([String: JSONValue].self)["id"]?.string)
                _ = try await client.send(.get, "/v1/buoys/\(id)")
                let before = store.statistics.roundTrips
                #expect(try await client.send(.get, "/v1/buoys/\(id)").status == 200)
                #expect(store.statistics.roundTrips - before == 1)
            }
        }

        @Test func `an ended session is refused at its next request, whatever it asks`() async throws {
            try await withBuoys { store, client in
                for request in [
                    ("/v1/buoys", nil), ("/v1/buoys", #"{"name":"x"}"#), ("/v1/buoys", #"{"name":7}"#),
                    ("/v1/secrets/1", nil), ("/v1/secrets/abc", nil), ("/v1/buoys?limit=nothing", nil),
                ] {
                    try await change(store, "INSERT INTO caller (id, role) VALUES ('bert', 'admin')")
                    #expect(try await client.send(.get, "/v1/buoys", as: "bert").status == 200)
                    try await change(store, "DELETE FROM caller WHERE id = 'bert'")
                    let reply =
                        if let json = request.1 {
                            try await client.send(.post, request.0, as: "bert", json: json)
                        } else {
                            try await client.send(.get, request.0, as: "bert")
                        }
                    #expect(reply.status == 401, "\(request)")
                }
                #expect(try await !client.send(.get, "/v1/buoys").text.contains("name"), "a row was written")
            }
        }

        @Test func `another role takes effect at the next request`() async throws {
            try await withBuoys { store, client in
                #expect(try await client.send(.get, "/v1/secrets/1").text.contains("1 of anna"))
                try await change(store, "UPDATE caller SET role = 'member' WHERE id = 'anna'")
                #expect(try await client.send(.get, "/v1/secrets/2").status == 403)
                try await change(store, "UPDATE caller SET role = 'admin' WHERE id = 'anna'")
                #expect(try await client.send(.get, "/v1/secrets/3").text.contains("3 of anna"))
            }
        }

        @Test func `a get while the database is away asks it once`() async throws {
            try await withTemporaryDirectory { directory in
                let database = try await PostgresTestServer.open("\(directory)/data", connections: 1)
                let store = FailingStore(database)
                let service = try ServiceApplication(
                    features: [Buoys()], store: store, authenticator: StoredCallers(store), logger: .silent)
                try await service.prepare()
                try await store.write { _ = try $0.execute("INSERT INTO caller (id, role) VALUES ('anna', 'admin')") }
                try await service.application().test(.router) { router in
                    let client = Client(client: router)
                    #expect(try await client.send(.get, "/v1/buoys").status == 200)
                    let reads = try await store.readsWhileAway {
                        let reply = try await client.send(.get, "/v1/buoys")
                        #expect(reply.status == 503)
                    }
                    #expect(reads == 1)
                    #expect(try await client.send(.get, "/v1/buoys").status == 200)
                }
                await database.close()
            }
        }
    }
#endif
