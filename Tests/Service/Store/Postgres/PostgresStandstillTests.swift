#if POSTGRES
    import StrataConcurrency
    import StrataFeatureTesting
    import StrataService
    import StrataSystem
    import StrataTesting
    import Testing

    @testable import StrataPostgres

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .timeLimit(.minutes(1)))
    struct `A session that stands still` {
        private func withDirect(_ body: (PostgresStore, _ schema: String, _ directory: String) async throws -> Void)
            async throws
        {
            try await withTemporaryDirectory { directory in
                let direct = try await PostgresTestServer.open("\(directory)/data")
                try await direct.migrate([StoreMigration("t", "CREATE TABLE t (id TEXT NOT NULL, content TEXT)")])
                let schema = try await direct.read { try $0.row("SELECT current_schema() AS name")?.text("name") }
                try await body(direct, try #require(schema), directory)
                await direct.close()
            }
        }

        /// A transaction of another program.
        private func session(_ schema: String, _ sql: String) async throws -> PostgresConnection {
            try await runBlocking {
                let connection = try PostgresConnection(
                    try PostgresTestServer.location(schema), application: "other", limit: .seconds(10))
                try connection.run("BEGIN")
                try connection.run(sql)
                return connection
            }
        }

        /// 240 KB in a message need several packets; 24 MB of a result do not fit into the buffers of a socket. The server then waits
        /// for the replica in the wait event.
        @Test(arguments: [("ClientRead", String(repeating: "x", count: 240_000)), ("ClientWrite", "")])
        func `loses its rows to a write that waits for them, and its own write is run again`(
            _ event: String, _ filling: String
        ) async throws {
            try await withDirect { direct, schema, directory in
                let relay = try PostgresRelay(in: directory, schema: schema)
                let name = "stands still \(schema)"
                let replica = try await PostgresStore.open(relay.location, application: name, connections: 2)
                let log = LogRecorder()
                var waits = PostgresWaits()
                // The lock of a session that was ended is free before the wait for it is over, also on a busy machine.
                (waits.lock, waits.standstill) = (.milliseconds(250), .milliseconds(300))
                let other = try await PostgresStore.open(
                    try PostgresTestServer.location(schema), application: name, waits: waits, logger: log.logger())
                try await direct.write { try $0.execute("INSERT INTO t (id) VALUES ('shared')") }
                relay.cut(.standstill)
                let stuck = Task {
                    try await replica.write { transaction in
                        try transaction.execute("UPDATE t SET content = 'stuck' WHERE id = 'shared'")
                        let isMessage = !filling.isEmpty
                        if isMessage {
                            try transaction.execute(
                                "INSERT INTO t (id, content) VALUES (\(PostgresRelay.mark), \(filling))")
                        } else {
                            _ = try transaction.rows(
                                "SELECT repeat('x', 24000000) AS content, \(PostgresRelay.mark) AS mark")
                            try transaction.execute("INSERT INTO t (id) VALUES ('stuck')")
                        }
                    }
                }
                // The server may read what the relay has sent only after the other write, which then waits for nothing.
                try await eventually("the replica stands still with the lock") {
                    guard relay.hasCut else { return false }
                    return try await direct.read { reader in
                        try reader.rows(
                            """
                            SELECT pid FROM pg_stat_activity
                            WHERE application_name = \(name) AND backend_xid IS NOT NULL AND wait_event = \(event)
                            """
                        ).count == 1
                    }
                }
                // Another row is free.
                try await direct.write { try $0.execute("INSERT INTO t (id) VALUES ('free')") }
                try await other.write { try $0.execute("UPDATE t SET content = 'other' WHERE id = 'shared'") }
                try await stuck.value
                try await expectRows(3, in: "t", of: direct)
                #expect(log.lines.contains { $0.contains("stood still inside of a write") })
                await replica.close()
                await other.close()
            }
        }

        /// 0.1 s for the statement, and one second in which the server may end it.
        @Test func `is given up soon after its read was cancelled`() async throws {
            try await withDirect { _, schema, directory in
                let relay = try PostgresRelay(in: directory, schema: schema)
                let store = try await PostgresStore.open(relay.location, connections: 1)
                relay.cut(.standstill)
                let read = Task { try await store.read { try $0.rows("SELECT \(PostgresRelay.mark) AS mark").count } }
                try await eventually("the session stands still") { relay.hasCut }
                let start = ContinuousClock.now
                read.cancel()
                await #expect(throws: CancellationError.self) { _ = try await read.value }
                #expect(start.duration(to: .now) < .seconds(4), "a second connection or a ROLLBACK takes 5 s")
                #expect(try await store.read { try $0.rows("SELECT 1 AS one").count } == 1)
                await store.close()
            }
        }

        @Test func `that has a lock on a table makes reads and writes of it unavailable`() async throws {
            try await withDirect { _, schema, _ in
                var waits = PostgresWaits()
                waits.lock = .milliseconds(50)
                let store = try await PostgresStore.open(
                    try PostgresTestServer.location(schema), connections: 1, waits: waits)
                let other = try await session(schema, "LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
                await expectUnavailable { _ = try await store.read { try $0.rows("SELECT id FROM t") } }
                await expectUnavailable {
                    try await store.write { _ = try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                }
                _ = try await runBlocking { try other.run("ROLLBACK") }
                try await store.write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                try await expectRows(1, in: "t", of: store)
                await store.close()
            }
        }

        @Test func `in this process makes writes unavailable when their turn does not come in time`() async throws {
            try await withDirect { direct, schema, _ in
                let clock = ManualClock()
                // One of the two connections is for reads.
                let store = try await PostgresStore.open(
                    try PostgresTestServer.location(schema), connections: 2, timers: TimerQueue(clock),
                    waits: PostgresWaits())
                let (inside, release) = (BlockingFlag(), BlockingFlag())
                let first = Task {
                    try await store.write { transaction in
                        try transaction.execute("INSERT INTO t (id) VALUES ('a')")
                        inside.raise()
                        release.wait()
                    }
                }
                try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
                let late = Task { try await store.write { _ = try $0.execute("INSERT INTO t (id) VALUES ('b')") } }
                await clock.waitForSleeper()
                #expect(try await store.count("t") == 0, "a read has a connection")
                clock.advance(by: .seconds(16))
                await expectUnavailable { try await late.value }
                release.raise()
                try await first.value
                try await expectRows(1, in: "t", of: direct)
                await store.close()
            }
        }

        private func expectUnavailable(_ body: () async throws -> Void) async {
            await #expect {
                try await body()
            } throws: { error in
                guard case StoreError.unavailable = error else { return false }
                return true
            }
        }

        /// PostgreSQL ignores them for a Unix-domain socket, and accepts them.
        @Test func `is found by the server, whose side of each session has keepalives`() async throws {
            try await withDirect { direct, _, _ in
                let names = try await direct.read { reader in
                    try reader.rows("SELECT name FROM pg_settings WHERE source = 'session' ORDER BY name").map {
                        try $0.text("name")
                    }
                }
                let expected: Set = [
                    "lock_timeout", "tcp_keepalives_count", "tcp_keepalives_idle", "tcp_keepalives_interval",
                    "tcp_user_timeout",
                ]
                #expect(expected.subtracting(names).isEmpty)
            }
        }

        @Test func `before it answers ends a connect of a cancelled task`() async throws {
            try await withTemporaryDirectory { directory in
                // It listens and accepts nothing.
                let silent = try SilentSocket(at: "\(directory)/.s.PGSQL.5432")
                let address = directory.replacing("/", with: "%2F")
                let location = try #require(try PostgresLocation("postgres://ada@/notes?host=\(address)"))
                let interrupt = try Interrupt()
                interrupt.raise()
                await #expect(throws: CancellationError.self) {
                    _ = try await runBlocking {
                        try PostgresConnection(
                            location, application: "test", limit: .seconds(600), interrupt: interrupt)
                    }
                }
                withExtendedLifetime(silent) {}
            }
        }
    }

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .timeLimit(.minutes(2)))
    struct `Reads that are given up` {
        /// - Parameter ending: `.zero` sends a cancel request for each, and a long time lets each end by itself.
        @Test(arguments: [(Duration.zero, 30.0), (.seconds(60), 0.001)])
        func `keep their connection, which is in no transaction afterwards`(
            _ ending: Duration, _ seconds: Double
        ) async throws {
            try await withTemporaryDirectory { directory in
                let direct = try await PostgresTestServer.open("\(directory)/data")
                let schema = try await direct.read { try $0.row("SELECT current_schema() AS name")?.text("name") }
                var waits = PostgresWaits()
                waits.ending = ending
                let name = "given up \(schema ?? "") \(seconds)"
                let store = try await PostgresStore.open(
                    try PostgresTestServer.location(try #require(schema)), application: name, connections: 1,
                    waits: waits)
                for number in 0..<2_000 {
                    let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
                    let read = Task {
                        try await store.read { reader in
                            isBegun.finish()
                            return try reader.rows("SELECT pg_sleep(\(seconds)) AS slept").count
                        }
                    }
                    for await _ in begun {}
                    read.cancel()
                    // One that ends by itself has its rows, when only the end of its transaction was left.
                    do { #expect(try await read.value == 1) } catch is CancellationError {}
                    guard number % 2 == 0 else { continue }
                    let count = try await store.read { try $0.rows("SELECT generate_series(1, 500) AS number").count }
                    #expect(count == 500)
                }
                let opened = store.samples.first { $0.name == "database_connections_opened_total" }?.value
                // Some may be lost under load: a cancel request then takes longer than a second.
                #expect(try #require(opened) <= 60)
                try await eventually("no session is in a transaction") {
                    try await direct.read { reader in
                        try reader.rows(
                            "SELECT pid FROM pg_stat_activity WHERE application_name = \(name) AND state <> 'idle'"
                        ).isEmpty
                    }
                }
                try await store.write { try $0.execute("CREATE TABLE t (id TEXT)") }
                try await expectRows(0, in: "t", of: store)
                await store.close()
                await direct.close()
            }
        }
    }

    /// A Unix-domain socket that listens, and whose connections get no answer.
    private final class SilentSocket: Sendable {
        private let descriptor: CInt

        struct NoSocket: Error {}

        init(at path: String) throws {
            descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            guard PostgresRelay.withAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 4) == 0 else {
                throw NoSocket()
            }
        }

        deinit { close(descriptor) }
    }
#endif
