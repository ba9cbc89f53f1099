#if POSTGRES
    import Foundation
    import StrataConcurrency
    import StrataFeatureTesting
    import StrataPostgres
    import StrataTesting
    import Testing

    @testable import StrataService

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing))
    struct PostgresStoreTests {
        private func withStores(
            _ count: Int = 1, connections: Int = 4, _ body: ([PostgresStore]) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                var stores: [PostgresStore] = []
                for _ in 0..<count {
                    stores.append(try await PostgresTestServer.open(directory + "/data", connections: connections))
                }
                try await stores[0].migrate([StoreMigration("t", "CREATE TABLE t (id TEXT NOT NULL)")])
                try await body(stores)
                for store in stores { await store.close() }
            }
        }

        private func active(_ store: PostgresStore, _ text: String) async throws -> Int {
            try await store.read { reader in
                try reader.row(
                    """
                    SELECT COUNT(*) AS count FROM pg_stat_activity
                    WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE \("%\(text)%")
                    """)?.int("count") ?? 0
            }
        }

        @Test func `a statement ends at the server when its task is cancelled`() async throws {
            try await withStores(2) { stores in
                let mark = "pg_sleep(61)"
                let sleep = Task { [store = stores[0]] in
                    try await store.read { try $0.rows("SELECT pg_sleep(61)").count }
                }
                try await eventually(try await active(stores[1], mark) > 0)
                sleep.cancel()
                await #expect(throws: CancellationError.self) { try await sleep.value }
                #expect(try await active(stores[1], mark) == 0)
                #expect(try await stores[0].count("t") == 0)
            }
        }

        @Test func `a write that waits for another ends when its task is cancelled`() async throws {
            try await withStores(2) { stores in
                try await stores[0].write { try $0.execute("INSERT INTO t (id) VALUES ('x')") }
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let first = Task { [store = stores[0]] in
                    try await store.write { transaction in
                        try transaction.execute("UPDATE t SET id = 'first' WHERE id = 'x'")
                        inside.raise()
                        release.wait()
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                let second = Task { [store = stores[1]] in
                    try await store.write { _ = try $0.execute("UPDATE t SET id = 'second' WHERE id = 'x'") }
                }
                try await eventually(try await active(stores[0], "UPDATE t SET id = 'second'") > 0)
                second.cancel()
                await #expect(throws: CancellationError.self) { try await second.value }
                release.raise()
                try await first.value
                try await expectRows(1, in: "t", of: stores[0])
            }
        }

        @Test func `lost connections are replaced without an error`() async throws {
            try await withStores(2) { stores in
                // Several idle connections, all of which the server ends.
                let processes = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask { [store = stores[0]] in
                            try await store.read { reader in
                                try reader.row("SELECT pg_backend_pid() AS pid, pg_sleep(0.05)")?.int("pid") ?? 0
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let ended = try await stores[1].read { reader in
                    try reader.rows(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN (\(list: processes))"
                    ).count
                }
                #expect(ended >= 1)
                try await stores[0].write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                try await expectRows(1, in: "t", of: stores[0])
            }
        }

        @Test func `a write whose connection is lost inside of it is run again`() async throws {
            try await withStores(2) { stores in
                let runs = Mutex(0)
                try await stores[0].write { transaction in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    try transaction.execute("INSERT INTO t (id) VALUES ('a')")
                    // The error is caught, so only the store can know.
                    if run == 1 { _ = try? transaction.rows("SELECT pg_terminate_backend(pg_backend_pid()) AS ended") }
                }
                #expect(runs.withLock { $0 } == 2)
                try await expectRows(1, in: "t", of: stores[1])
            }
        }

        @Test func `a write whose connection is lost at COMMIT is committed once`() async throws {
            try await withStores { stores in
                let trigger: [Statement] = [
                    "CREATE SEQUENCE losses",
                    """
                    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF nextval('losses') <= 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                        RETURN NULL;
                    END $$
                    """,
                    """
                    CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION lose()
                    """,
                ]
                try await stores[0].write { for statement in trigger { try $0.execute(statement) } }
                try await stores[0].write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                try await expectRows(1, in: "t", of: stores[0])
                let losses = try await stores[0].read { try $0.row("SELECT last_value FROM losses")?.int("last_value") }
                #expect(losses == 3)
            }
        }

        @Test(arguments: ["40001", "40P01"])
        func `a transaction that the server gave up is run again`(_ state: String) async throws {
            try await withStores { stores in
                let statement = Statement(
                    stringLiteral: """
                        DO $$ BEGIN
                            IF nextval('runs') < 3 THEN RAISE EXCEPTION 'again' USING ERRCODE = '\(state)'; END IF;
                        END $$
                        """)
                try await stores[0].write { try $0.execute("CREATE SEQUENCE runs") }
                try await stores[0].write { transaction in
                    try transaction.execute("INSERT INTO t (id) VALUES ('a')")
                    try transaction.execute(statement)
                }
                try await expectRows(1, in: "t", of: stores[0])
            }
        }

        @Test(arguments: [
            ("53100", StoreError.full("no")), ("53200", .unavailable("no")), ("57P03", .unavailable("no")),
            ("25006", .unavailable("no")), ("40001", .unavailable("no")), ("23514", .constraint("no")),
            ("22P02", .failed("a value has the wrong form or is out of range (22P02)")),
        ])
        func `an error of the server becomes an error of the port`(_ state: String, _ expected: StoreError) async throws
        {
            try await withStores { stores in
                let statement = Statement(
                    stringLiteral: "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
                do {
                    try await stores[0].write { try $0.execute(statement) }
                    Issue.record("accepted")
                } catch StoreError.failed(let message) {
                    guard case .failed(let start) = expected else { throw StoreError.failed(message) }
                    #expect(message.hasPrefix(start))
                } catch let error as StoreError {
                    #expect(error == expected)
                }
            }
        }

        @Test func `an error that was caught without an attempt commits nothing`() async throws {
            try await withStores { stores in
                await #expect {
                    try await stores[0].write { transaction in
                        try transaction.execute("INSERT INTO t (id) VALUES ('a')")
                        _ = try? transaction.execute("INSERT INTO t (id) VALUES (NULL)")
                    }
                } throws: { error in
                    guard case StoreError.failed(let message) = error else { return false }
                    return message.contains("without 'attempt'")
                }
                try await expectRows(0, in: "t", of: stores[0])
            }
        }

        @Test func `a table that another replica changed is read with its new columns`() async throws {
            try await withStores(2) { stores in
                try await stores[0].write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                let before = try await stores[0].read { try $0.row("SELECT * FROM t") }
                #expect(throws: StoreError.self) { try before?.int("size") }
                try await stores[1].write { try $0.execute("ALTER TABLE t ADD COLUMN size BIGINT NOT NULL DEFAULT 7") }
                let after = try await stores[0].read { try $0.row("SELECT * FROM t") }
                #expect(try after?.int("size") == 7)
            }
        }

        @Test func `more statements than a connection keeps are run`() async throws {
            try await withStores(1, connections: 1) { stores in
                for batch in 0..<6 {
                    try await stores[0].read { reader in
                        for number in 0..<200 {
                            let row = try reader.row(
                                Statement(stringLiteral: "SELECT \(batch * 200 + number) AS number"))
                            #expect(try row?.int("number") == batch * 200 + number)
                        }
                    }
                }
            }
        }

        @Test func `a caller that finds no free connection is refused at its limit`() async throws {
            try await withTemporaryDirectory { directory in
                let clock = ManualClock()
                let setup = try await PostgresTestServer.open(directory + "/data")
                let store = try await PostgresStore.open(
                    try PostgresTestServer.location("public"), connections: 1, longestWait: .seconds(3),
                    timers: TimerQueue(clock))
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let holder = Task {
                    try await store.read { _ in
                        inside.raise()
                        release.wait()
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                let refused = Task { try await store.read { try $0.rows("SELECT 1 AS one").count } }
                await clock.waitForSleeper()
                clock.advance(by: .seconds(4))
                await #expect(throws: StoreError.unavailable("every connection to the database is in use")) {
                    try await refused.value
                }
                release.raise()
                try await holder.value
                await store.close()
                await setup.close()
            }
        }
    }

    @Suite struct PostgresLocationTests {
        @Test(arguments: [
            ("postgres://db/notes", "postgres://db/notes"), ("postgresql://db:5433/notes", "postgres://db:5433/notes"),
            ("postgres://ada:hunter2@db/notes?sslmode=require", "postgres://ada@db/notes"),
            ("postgres://ada@/notes?host=/run/pg&password=hunter2", "postgres://ada@/run/pg/notes"),
        ])
        func `an address is shown without its password`(_ text: String, _ shown: String) throws {
            #expect(try #require(try PostgresLocation(text)).description == shown)
        }

        @Test(arguments: [
            "postgres://ada:hunter2@[db/notes", "postgres://ada:hunter2@db/notes?nothing=1",
            "postgres://ada:%zzhunter2@db/n",
            "postgres://ada:hunter2@db/\u{0}",
        ])
        func `a malformed address is refused without repeating it`(_ text: String) {
            #expect {
                try PostgresLocation(text)
            } throws: { error in
                "\(error)".contains("postgres://USER@HOST:PORT/NAME") && !"\(error)".contains("hunter2")
            }
        }

        @Test(arguments: ["sqlite:notes.db", "notes.db", "", "http://db/notes"])
        func `another scheme is not a PostgreSQL location`(_ text: String) throws {
            #expect(try PostgresLocation(text) == nil)
        }

        @Test func `a server that cannot be reached is named without the password`() async throws {
            let location = try #require(try PostgresLocation("postgres://ada:hunter2@127.0.0.1:1/notes"))
            await #expect {
                try await PostgresStore.open(location)
            } throws: { error in
                guard case StoreError.unavailable(let message) = error else { return false }
                return message.contains("postgres://ada@127.0.0.1:1/notes") && !"\(error)".contains("hunter2")
            }
        }
    }
#else
    import Testing

    @Suite struct PostgresStoreTests {
        @Test(.disabled("libpq-dev is not installed, so PostgreSQL is not part of this build."))
        func `the contract holds on PostgreSQL`() {}
    }
#endif
