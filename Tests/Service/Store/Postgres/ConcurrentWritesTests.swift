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

    /// An entity that everyone sees, and that no mutation touches here.
    private struct TideMark: Entity {
        static let noun = "mark"
        static let collection = "marks"
        static let fields: [EntityField<TideMark>] = [.init("name", \.name, .line(1...40))]
        var name: String
    }

    private struct TideMarks: FeatureService {
        let table = EntityTable<TideMark>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    /// Round trips, repetitions and announcements of writes.
    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .serialized,
        .timeLimit(.minutes(2)))
    struct `Writes side by side on PostgreSQL` {
        private func withStore(
            connections: Int = 6, _ migrations: [StoreMigration] = [], _ body: (PostgresStore) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", connections: connections)
                let table = StoreMigration("t", "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, count BIGINT NOT NULL)")
                try await store.migrate([table] + migrations)
                try await body(store)
                await store.close()
            }
        }

        private func trips(_ store: PostgresStore, _ body: () async throws -> Void) async throws -> Int {
            let before = store.statistics.roundTrips
            try await body()
            return store.statistics.roundTrips - before
        }

        @Test func `statements whose results nobody needs travel with the next one, and with COMMIT`() async throws {
            try await withStore(connections: 1) { store in
                let statements = (0..<5).map { "INSERT INTO t (id, count) VALUES (\("a\($0)"), 1)" as Statement }
                let later = try await trips(store) {
                    try await store.write { transaction in
                        _ = try transaction.rows("SELECT id FROM t")
                        for statement in statements { try transaction.executeLater(statement, orThrow: nil) }
                    }
                }
                #expect(later == 2, "BEGIN and the query; the insertions and COMMIT")
                try await expectRows(5, in: "t", of: store)
                let read = try await trips(store) { _ = try await store.read { try $0.rows("SELECT id FROM t") } }
                #expect(read == 1)
            }
        }

        @Test func `a later statement that fails takes the whole transaction along, with its own error`() async throws {
            struct Taken: Error {}
            try await withStore { store in
                try await store.write { try $0.execute("INSERT INTO t (id, count) VALUES ('a', 1)") }
                await #expect(throws: Taken.self) {
                    try await store.write { transaction in
                        try transaction.executeLater("INSERT INTO t (id, count) VALUES ('b', 1)", orThrow: nil)
                        try transaction.executeLater("INSERT INTO t (id, count) VALUES ('a', 1)", orThrow: Taken())
                    }
                }
                try await expectRows(1, in: "t", of: store)
            }
        }

        @Test func `an attempt keeps its later statements, and drops them when it fails`() async throws {
            struct Refused: Error {}
            try await withStore { store in
                try await store.write { transaction in
                    try transaction.executeLater("INSERT INTO t (id, count) VALUES ('before', 1)", orThrow: nil)
                    do {
                        try transaction.attempt { () throws -> Void in
                            try transaction.executeLater(
                                "INSERT INTO t (id, count) VALUES ('dropped', 1)", orThrow: nil)
                            throw Refused()
                        }
                        Issue.record("the error of the body is lost")
                    } catch is Refused {}
                    try transaction.attempt {
                        try transaction.executeLater("INSERT INTO t (id, count) VALUES ('kept', 1)", orThrow: nil)
                    }
                    do {
                        try transaction.attempt { () throws -> Void in
                            try transaction.executeLater("INSERT INTO t (id, count) VALUES ('kept', 1)", orThrow: nil)
                        }
                        Issue.record("the violation is not told")
                    } catch is StoreError {}
                }
                let ids = try await store.read { try $0.rows("SELECT id FROM t ORDER BY id").map { try $0.text("id") } }
                #expect(ids == ["before", "kept"])
            }
        }

        @Test(arguments: [false, true])
        func `a read of one statement has no transaction, one of two has, also when it swallows errors`(
            swallows: Bool
        ) async throws {
            try await withStore(connections: 1) { store in
                let runs = Shared(0)
                let level: @Sendable (StoreRow?) throws -> String? = { try $0?.text("level") }
                let first: Statement = "SELECT current_setting('transaction_isolation') AS level"
                let second: Statement = "SELECT current_setting('transaction_isolation') AS level, 2 AS number"
                let alone: @Sendable (any StoreReader) throws -> String? = { try level($0.row(first)) }
                let before = try await store.read(alone)
                #expect(before == "read committed")
                func both() async throws -> [String?] {
                    try await store.read { reader in
                        runs.change { $0 += 1 }
                        let one = try level(reader.row(first))
                        let two = swallows ? try? level(reader.row(second)) : try level(reader.row(second))
                        return [one, two]
                    }
                }
                let expected = ["repeatable read", "repeatable read"]
                let one = try await both()
                #expect(one == expected && runs.value == 2)
                // From now on the connection knows.
                let two = try await both()
                #expect(two == expected && runs.value == 3)
                let after = try await store.read(alone)
                #expect(after == "repeatable read")
            }
        }

        @Test func `a statement of a write that no index helps is not compiled first`() async throws {
            let plain = StoreMigration("plain", "CREATE TABLE plain (count BIGINT NOT NULL)")
            try await withStore(connections: 1, [plain]) { store in
                let plan = try await store.write { transaction in
                    try transaction.rows("EXPLAIN ANALYZE SELECT COUNT(*) FROM plain").map { try $0.text("QUERY PLAN") }
                }
                #expect(!plan.isEmpty)
                #expect(!plan.contains { $0.contains("JIT") })
            }
        }

        @Test func `large responses of one caller drop older ones after their writes, which read none of them`()
            async throws
        {
            let migrations = [IdempotencyLog.migration, IdempotencyLog.sizesMigration]
            try await withStore(connections: 1, migrations) { store in
                let log = IdempotencyLog(
                    rates: RateLimiter(RateLimits(), timers: TimerQueue(ManualClock())), largeBodies: 5000)
                let response = EncodedResponse(
                    status: 201, headers: HeaderFields(), body: Data(repeating: 0x41, count: 3000))
                let caller = Principal.user(.init(id: "ada", username: "ada", isAdmin: false, sessionId: "s"))
                let target = RequestTarget(path: "/v1/t", query: QueryItems())
                for key in ["a", "b", "c"] {
                    let claim = IdempotencyClaim(
                        key: key, owner: caller, method: .post, target: target, body: Data())
                    let count = try await trips(store) {
                        try await store.write { transaction in
                            _ = try transaction.rows("SELECT id FROM t")
                            try log.keep(response, for: claim, at: .noon, in: transaction)
                        }
                    }
                    #expect(count == 2, "BEGIN and the query; the record and COMMIT")
                    try await log.trim(after: response, for: claim, in: store)
                }
                let kept = try await store.read { reader in
                    try reader.row("SELECT COUNT(*) AS count FROM idempotent_answer WHERE large_bytes > 0")?.int(
                        "count")
                }
                #expect(kept == 1)
            }
        }

        /// The contents of an entity's table, and a key.
        @Test func `the create of an entity with an idempotency key takes 3 round trips, and its get takes 1`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", connections: 1)
                let service = try ServiceApplication(
                    features: [TideMarks()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                try await service.application().test(.router) { client in
                    let client = Client(client: client)
                    let key = HTTPField.Name("Idempotency-Key")!
                    func create(_ number: Int) async throws -> Reply {
                        try await client.send(
                            .post, "/v1/marks", headers: [key: "k\(number)"], json: #"{"name":"mark \#(number)"}"#)
                    }
                    _ = try await create(0)
                    var made: Reply?
                    let post = try await trips(store) { made = try await create(1) }
                    #expect(made?.status == 201)
                    // Without the session, which one more reads: the look-up of the key, the place, the rows with COMMIT.
                    #expect(post == 3)
                    let id = try #require(try made?.decoded([String: JSONValue].self)["id"]?.string)
                    _ = try await client.send(.get, "/v1/marks/\(id)")
                    var shown: Reply?
                    let get = try await trips(store) { shown = try await client.send(.get, "/v1/marks/\(id)") }
                    #expect(shown?.status == 200 && get == 1)
                }
                await store.close()
            }
        }

        @Test func `a counter that many advance at once loses no step`() async throws {
            try await withStore { store in
                try await store.write { try $0.execute("INSERT INTO t (id, count) VALUES ('a', 0)") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            try await store.write { transaction in
                                let count = try transaction.row("SELECT count FROM t WHERE id = 'a'")?.int("count") ?? 0
                                try transaction.execute("UPDATE t SET count = \(count + 1) WHERE id = 'a'")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let count = try await store.read { try $0.row("SELECT count FROM t")?.int("count") }
                #expect(count == 40)
                #expect(store.statistics.conflicts > 0, "otherwise nothing ran side by side")
            }
        }

        @Test func `a body that is overtaken again and again fails as unavailable after its last run`() async throws {
            try await withStore { store in
                let runs = Mutex(0)
                let statement: Statement = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"
                await #expect(throws: StoreError.unavailable("again")) {
                    try await store.write { transaction in
                        runs.withLock { $0 += 1 }
                        _ = try transaction.execute(statement)
                    }
                }
                #expect(runs.withLock { $0 } == PostgresStore.mostConflicts)
                let samples = store.samples
                #expect(samples.first { $0.name == "database_conflicts_given_up_total" }?.value == 1)
            }
        }

        @Test func `a body that each run of others would overtake gets a run without them`() async throws {
            try await withStore { store in
                try await store.write { try $0.execute("INSERT INTO t (id, count) VALUES ('a', 0)") }
                let runs = CallCounter()
                let others = CallCounter()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (starts, start) = AsyncStream.makeStream(of: Void.self)
                    group.addTask {
                        for await _ in starts {
                            try await store.write { try $0.execute("UPDATE t SET count = count + 1 WHERE id = 'a'") }
                            others.increment()
                        }
                    }
                    try await store.write { transaction in
                        let before = runs.increment() - 1
                        let count = try transaction.row("SELECT count FROM t WHERE id = 'a'")?.int("count") ?? 0
                        start.yield()
                        // Until the other has committed, or waits for the end of this one.
                        let waiting: Statement = "SELECT count(*) AS count FROM pg_locks WHERE NOT granted"
                        while others.value == before, try transaction.row(waiting)?.int("count") == 0 {}
                        try transaction.execute("UPDATE t SET count = \(count + 100) WHERE id = 'a'")
                    }
                    start.finish()
                    try await group.waitForAll()
                }
                let number = runs.value
                #expect(number == PostgresStore.conflictsPerTurn + 1)
                let count = try await store.read { try $0.row("SELECT count FROM t")?.int("count") }
                #expect(count == 100 + number)
            }
        }

        @Test func `a write that waits for a run without others lets them go on after its wait`() async throws {
            try await withStore { store in
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let held = Task {
                    try await store.write { transaction in
                        try transaction.execute("INSERT INTO t (id, count) VALUES ('held', 1)")
                        inside.raise()
                        release.wait()
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                let runs = CallCounter()
                let last = PostgresStore.conflictsPerTurn + 1
                try await store.write { transaction in
                    let number = runs.increment()
                    let failure: Statement = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"
                    if number < last { _ = try transaction.execute(failure) }
                }
                // The run without others never came to its body.
                #expect(runs.value == last)
                try await store.write { try $0.execute("INSERT INTO t (id, count) VALUES ('free', 1)") }
                release.raise()
                try await held.value
                try await expectRows(2, in: "t", of: store)
            }
        }

        @Test func `writers of different rows do not wait for each other`() async throws {
            try await withStore { store in
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let held = Task {
                    try await store.write { transaction in
                        try transaction.execute("INSERT INTO t (id, count) VALUES ('held', 1)")
                        inside.raise()
                        release.wait()
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                try await store.write { try $0.execute("INSERT INTO t (id, count) VALUES ('free', 1)") }
                try await expectRows(1, in: "t", of: store)
                release.raise()
                try await held.value
                try await expectRows(2, in: "t", of: store)
            }
        }

        @Test func `many commits are announced together`() async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data", pollInterval: .seconds(600))
                let other = try await PostgresTestServer.open("\(directory)/data", pollInterval: .seconds(600))
                try await store.write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
                let (ready, started) = AsyncStream.makeStream(of: Void.self)
                let (heard, yield) = AsyncStream.makeStream(of: Void.self)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await store.followCommits { started.yield() } }
                    group.addTask { await other.followCommits { yield.yield() } }
                    // Each is called once it listens.
                    for await _ in ready { break }
                    for await _ in heard { break }
                    for number in 1...200 {
                        try await store.write { transaction in
                            try transaction.execute("INSERT INTO note (id) VALUES (\(number))")
                            try transaction.announce()
                        }
                    }
                    for await _ in heard {
                        if try await other.read({ try $0.row("SELECT MAX(id) AS id FROM note")?.intIfAny("id") }) == 200
                        {
                            break
                        }
                    }
                    group.cancelAll()
                }
                #expect((1..<200).contains(store.statistics.announcements))
                await store.close()
                await other.close()
            }
        }

        @Test func `a server without the functions of the order has none`() throws {
            #expect(PostgresFailure(state: "42883", message: "no", isDisconnected: false).isMissingFunction)
            #expect(!PostgresFailure(state: "42P01", message: "no", isDisconnected: false).isMissingFunction)
        }
    }

    @Suite struct OldestWriterTests {
        @Test func `the age of the oldest writer is the time between two looks at the same one`() {
            let (writer, start) = (OldestWriter(), ContinuousClock.now)
            writer.note("100 105", at: start)
            #expect(writer.age == .zero && writer.notice == nil)
            writer.note("100 190", at: start + .seconds(63))
            #expect(writer.age == .seconds(63))
            #expect(writer.notice?.contains("63 s") == true)
            writer.note("150 191", at: start + .seconds(64))
            #expect(writer.age == .zero, "another one is the oldest")
            writer.note("150 191", at: start + .seconds(74))
            writer.note("192 192", at: start + .seconds(75))
            #expect(writer.age == .zero && writer.notice == nil, "none is open")
        }

        @Test func `an answer that cannot be read is no writer`() {
            let writer = OldestWriter()
            for answer in [nil, "", "100"] {
                writer.note("100 105", at: .now)
                writer.note(answer, at: .now + .seconds(60))
                #expect(writer.age == .zero)
            }
        }
    }
#endif
