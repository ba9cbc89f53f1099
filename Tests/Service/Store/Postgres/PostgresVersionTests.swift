#if POSTGRES
    import StrataFeatureTesting
    import StrataService
    import StrataSystem
    import Testing

    @testable import StrataPostgres

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing), .timeLimit(.minutes(1)))
    struct `A server with the protocol of PostgreSQL` {
        /// As on CockroachDB. The functions are hidden in a database of their own, so no other test misses them.
        @Test(arguments: ["pg_snapshot_xmin(pg_snapshot)", "pg_current_xact_id()", "pg_xact_status(xid8)"])
        func `that lacks a function for the order of changes is refused with a sentence`(_ function: String)
            async throws
        {
            let name = "strata_lacking_\(UInt64.random(in: 0 ... .max))"
            let location = try location(name)
            try await run("CREATE DATABASE \(name)", in: try self.location("postgres"))
            do {
                // The database itself is one that is accepted.
                await (try PostgresStore.open(location)).close()
                try await run("ALTER FUNCTION pg_catalog.\(function) RENAME TO hidden", in: location)
                await #expect {
                    try await PostgresStore.open(location)
                } throws: { error in
                    guard case StoreError.unavailable(let message) = error else { return false }
                    return message.contains("'\(location)' lacks") && message.contains("Use PostgreSQL 13 or newer.")
                }
            } catch { Issue.record(error) }
            try await run("DROP DATABASE \(name) WITH (FORCE)", in: try self.location("postgres"))
        }

        private func location(_ database: String) throws -> PostgresLocation {
            let address = PostgresTestServer.address ?? ""
            return try #require(
                try PostgresLocation("\(address)\(address.contains("?") ? "&" : "?")dbname=\(database)"))
        }

        private func run(_ sql: String, in location: PostgresLocation) async throws {
            try await runBlocking {
                let connection = try PostgresConnection(location, application: "test", limit: .seconds(10))
                try connection.run(sql)
            }
        }
    }
#endif
