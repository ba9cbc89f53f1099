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

    import struct Synchronization.Atomic

    @testable import StrataPostgres
    @testable import StrataService

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing))
    struct `A PostgreSQL server that is lost` {
        /// A store behind a relay, and one that reaches the server directly, on one new schema with a table.
        private func withRelay(_ body: (PostgresRelay, PostgresStore, PostgresStore) async throws -> Void) async throws
        {
            try await withTemporaryDirectory { directory in
                let direct = try await PostgresTestServer.open("\(directory)/data")
                try await direct.write { try $0.execute("CREATE TABLE t (id TEXT NOT NULL)") }
                let schema = try await direct.read { try $0.row("SELECT current_schema() AS name")?.text("name") }
                let relay = try PostgresRelay(in: directory, schema: schema ?? "")
                let store = try await PostgresStore.open(relay.location, connections: 4)
                try await body(relay, store, direct)
                await store.close()
                await direct.close()
            }
        }

        @Test(arguments: [(PostgresRelay.Fault.beforeCommit, 2), (.afterCommit, 1)])
        func `a write whose connection breaks at COMMIT is committed once`(
            fault: PostgresRelay.Fault, expectedRuns: Int
        ) async throws {
            try await withRelay { relay, store, direct in
                let runs = Mutex(0)
                relay.cut(fault)
                try await store.write { transaction in
                    runs.withLock { $0 += 1 }
                    try transaction.execute("INSERT INTO t (id) VALUES ('a')")
                }
                #expect(relay.hasCut)
                #expect(runs.withLock { $0 } == expectedRuns)
                try await expectRows(1, in: "t", of: direct)
            }
        }

        @Test func `a write whose outcome no server tells fails as unavailable and may have been committed`()
            async throws
        {
            try await withRelay { relay, store, direct in
                relay.cut(.afterCommit)
                relay.refuse(true)
                await #expect {
                    try await store.write { _ = try $0.execute("INSERT INTO t (id) VALUES ('a')") }
                } throws: { error in
                    guard case StoreError.unavailable = error else { return false }
                    return true
                }
                try await eventually("the write is committed") { try await direct.count("t") == 1 }
                relay.refuse(false)
                try await store.write { try $0.execute("INSERT INTO t (id) VALUES ('b')") }
                try await expectRows(2, in: "t", of: direct)
            }
        }

        @Test func `a request is 503 with Retry-After while the server is lost, and 200 again afterwards`() async throws
        {
            try await withRelay { relay, store, _ in
                let service = try ServiceApplication(
                    features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                try await service.application().test(.router) { client in
                    let client = Client(client: client)
                    relay.refuse(true)
                    // The connections of the pool end.
                    relay.cut(.beforeCommit)
                    let write = try await client.send(.post, "/v1/notes", json: #"{"text":"lost","level":1}"#)
                    #expect(write.status == 503 && write.headers[.retryAfter] != nil)
                    #expect(try write.problem().detail?.contains("postgres") == false)
                    relay.refuse(false)
                    let again = try await client.send(.post, "/v1/notes", json: #"{"text":"lost","level":1}"#)
                    #expect(again.status == 201)
                }
            }
        }

        /// libpq sends the request without MSG_NOSIGNAL, and SIGPIPE would end the process without a word.
        @Test func `a cancel request to a server that closes its connection raises no SIGPIPE`() async throws {
            try await withRelay { relay, _, _ in
                let connection = try await runBlocking {
                    try PostgresConnection(relay.location, application: "test", limit: .seconds(10))
                }
                relay.refuse(true)
                let before = signal(SIGPIPE) { _ in BrokenPipes.count.add(1, ordering: .relaxed) }
                defer { signal(SIGPIPE, before) }
                try await runBlocking {
                    for _ in 0..<50 { try #require(CancelRequest(connection.raw)).send() }
                }
                #expect(BrokenPipes.count.load(ordering: .relaxed) == 0)
            }
        }

        @Test func `a full disk of the server is 507`() async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data")
                let service = try ServiceApplication(
                    features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                let full: [Statement] = [
                    """
                    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$
                    """,
                    "CREATE TRIGGER full_disk BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION full_disk()",
                ]
                try await store.write { for statement in full { try $0.execute(statement) } }
                try await service.application().test(.router) { client in
                    let reply = try await Client(client: client).send(
                        .post, "/v1/notes", json: #"{"text":"large","level":1}"#)
                    #expect(reply.status == 507)
                }
                await store.close()
            }
        }

        @Test(
            .enabled(if: OwnServer.restart != nil, "only Scripts/test may restart the server of the tests"),
            .timeLimit(.minutes(2)))
        func `writes go on after the server was stopped at once, and none is lost or stored twice`() async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data")
                try await store.migrate([StoreMigration("t", "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY)")])
                // Otherwise the restart replays the log of all tests before this one, which may take longer than pg_ctl waits.
                try await store.write { try $0.execute("CHECKPOINT") }
                let restarts = CallCounter()
                let attempts = CallCounter()
                let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
                    for writer in 0..<4 {
                        group.addTask {
                            var acknowledged: [String] = []
                            var after = 0
                            while after < 20 {
                                let (id, isAfter) = ("\(writer)-\(acknowledged.count)", restarts.value == 3)
                                attempts.increment()
                                do {
                                    try await store.write { transaction in
                                        _ = try transaction.execute(
                                            "INSERT INTO t (id) VALUES (\(id)) ON CONFLICT (id) DO NOTHING")
                                    }
                                    acknowledged.append(id)
                                    if isAfter { after += 1 }
                                } catch StoreError.unavailable {
                                    // As a client does after 503: the same write again.
                                    await Task.yield()
                                }
                            }
                            return acknowledged
                        }
                    }
                    for _ in 1...3 {
                        let before = attempts.value
                        try await eventually("writes are under way") { attempts.value > before + 20 }
                        try await OwnServer.stopAndStart()
                        restarts.increment()
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                let rows = try await store.read { try $0.rows("SELECT id FROM t").map { try $0.text("id") } }
                #expect(Set(acknowledged).subtracting(rows).isEmpty)
                #expect(rows.count == Set(rows).count && acknowledged.count == Set(acknowledged).count)
                await store.close()
            }
        }

        @Test(.enabled(if: OwnServer.restart != nil, "the server of Scripts/test asks this role for a password"))
        func `a wrong password is in no error and no log line`() async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data")
                try await store.write { transaction in
                    try transaction.execute("DROP ROLE IF EXISTS strata_guarded")
                    try transaction.execute("CREATE ROLE strata_guarded LOGIN PASSWORD 'right-hunter1'")
                }
                let address = try #require(PostgresTestServer.address)
                let text = address.replacing("postgres@/", with: "strata_guarded:wrong-hunter2@/")
                let log = LogRecorder()
                await #expect {
                    _ = try await PostgresStore.open(try #require(try PostgresLocation(text)), logger: log.logger())
                } throws: { error in
                    guard case StoreError.unavailable(let message) = error else { return false }
                    return message.contains("password authentication failed") && !"\(error)".contains("hunter")
                }
                #expect(!log.lines.joined().contains("hunter"))
                await store.close()
            }
        }
    }

    private enum BrokenPipes {
        static let count = Atomic(0)
    }

    /// The server that Scripts/test started for this run.
    enum OwnServer {
        /// A program that stops the server with `-m immediate` and starts it again.
        static let restart = ProcessInfo.processInfo.environment["STRATA_TEST_POSTGRES_RESTART"]

        static func stopAndStart() async throws {
            let program = Program(path: restart ?? "", environment: ProcessInfo.processInfo.environment)
            let output = try await program.run([], within: .seconds(60))
            #expect(output.status == 0, "\(String(decoding: output.standardError, as: UTF8.self))")
        }
    }
#endif
