#if POSTGRES
    import Foundation
    import StrataFeatureTesting
    import StrataPostgres
    import StrataSystem
    import StrataTesting
    import Testing

    @testable import StrataService

    @Suite(
        .enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing),
        .enabled(if: Pgbouncer.path != nil, "pgbouncer is not installed"), .timeLimit(.minutes(1)))
    struct PgbouncerTests {
        @Test func `a pool in session mode is a server like any other`() async throws {
            try await Pgbouncer.withPool("session") { location in
                let stores = [
                    try await PostgresStore.open(location, connections: 4), try await PostgresStore.open(location),
                ]
                let (table, id) = (Statement(stringLiteral: "bouncer_\(UUID().uuidString.prefix(8))"), "a")
                try await stores[0].write { try $0.execute("CREATE TABLE \(table) (id TEXT NOT NULL PRIMARY KEY)") }
                let (heard, continuation) = AsyncStream.makeStream(of: Void.self)
                let follower = Task { [store = stores[1]] in await store.followCommits { continuation.yield() } }
                for await _ in heard { break }
                try await stores[0].write { try $0.execute("INSERT INTO \(table) (id) VALUES (\(id))") }
                for await _ in heard { break }
                let found = try await stores[1].read { try $0.rows("SELECT id FROM \(table) WHERE id = \(id)").count }
                #expect(found == 1)
                follower.cancel()
                await follower.value
                try await stores[0].write { try $0.execute("DROP TABLE \(table)") }
                for store in stores { await store.close() }
            }
        }

        @Test(arguments: ["transaction", "statement"])
        func `a pool in another mode is refused with a sentence`(_ mode: String) async throws {
            try await Pgbouncer.withPool(mode) { location in
                await #expect {
                    try await PostgresStore.open(location)
                } throws: { error in
                    guard case StoreError.unavailable(let message) = error else { return false }
                    return message.contains("Set its pool_mode to session")
                }
            }
        }
    }

    /// A connection pool of its own in front of the server of the tests.
    private enum Pgbouncer {
        static let path = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        static func withPool(_ mode: String, _ body: (PostgresLocation) async throws -> Void) async throws {
            let address = try #require(URLComponents(string: PostgresTestServer.address ?? ""))
            let host = try #require(address.queryItems?.first { $0.name == "host" }?.value)
            let directory = try TemporaryDirectory()
            // As root it changes to the user of the server, which makes the socket.
            chmod(directory.path, 0o777)
            let settings = """
                [databases]
                * = host=\(host) user=\(address.user ?? "postgres")
                [pgbouncer]
                listen_addr =
                unix_socket_dir = \(directory.path)
                listen_port = 6432
                auth_type = any
                pool_mode = \(mode)
                \(geteuid() == 0 ? "user = postgres" : "")
                """
            try directory.write("pgbouncer.ini", Data(settings.utf8))
            let program = Program(path: try #require(path), environment: [:])
            let run = Task { try await program.run([directory.file("pgbouncer.ini")], within: .seconds(60)) }
            try await eventually("the pool listens") { directory.names.contains(".s.PGSQL.6432") }
            let place = directory.path.replacing("/", with: "%2F")
            let text = "postgres://\(address.user ?? "postgres")@\(address.path)?host=\(place)&port=6432"
            let result = await Result { try await body(try #require(try PostgresLocation(text))) }
            run.cancel()
            _ = await run.result
            try result.get()
        }
    }

    extension Result where Failure == any Error {
        fileprivate init(_ body: () async throws -> Success) async {
            do { self = .success(try await body()) } catch { self = .failure(error) }
        }
    }
#endif
