import StrataService
import StrataTesting
import Testing

#if POSTGRES
    import StrataFeatureTesting
    import StrataPostgres

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing))
    struct `Replicas of a service on PostgreSQL` {
        /// Stores of one new schema, each with its own connections, that hear of each other's commits.
        private func withReplicas(
            _ count: Int, pollInterval: Duration = .milliseconds(20),
            _ body: ([PostgresStore], [AsyncStream<Void>]) async throws -> Void
        ) async throws {
            try await withTemporaryDirectory { directory in
                var stores: [PostgresStore] = []
                for _ in 0..<count {
                    stores.append(
                        try await PostgresTestServer.open(directory + "/data", pollInterval: pollInterval))
                }
                let (all, pairs) = (stores, stores.map { _ in AsyncStream.makeStream(of: Void.self) })
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (store, pair) in zip(all, pairs) {
                        group.addTask { await store.followCommits { pair.continuation.yield() } }
                    }
                    try await body(all, pairs.map(\.stream))
                    group.cancelAll()
                }
                for store in all { await store.close() }
            }
        }

        @Test(.timeLimit(.minutes(1)))
        func `each replica hears of a commit of another, soon after it can read it`() async throws {
            // Without polls, a reader can only hear of it by its notification.
            try await withReplicas(3, pollInterval: .seconds(600)) { stores, heard in
                try await stores[0].write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
                for number in 1...20 {
                    let writer = number % 3
                    try await stores[writer].write { transaction in
                        try transaction.execute("INSERT INTO note (id) VALUES (\(number))")
                        try transaction.announce()
                    }
                    for reader in 0..<3 where reader != writer {
                        for await _ in heard[reader] {
                            let seen = try await stores[reader].read { try $0.row("SELECT MAX(id) AS id FROM note") }
                            if try seen?.int("id") == number { break }
                        }
                    }
                }
            }
        }

        @Test(.timeLimit(.minutes(1)))
        func `one replica does the background work, and another takes over when it ends`() async throws {
            try await withTemporaryDirectory { directory in
                let interval = Duration.milliseconds(20)
                let first = try await PostgresTestServer.open(directory + "/data", pollInterval: interval)
                let second = try await PostgresTestServer.open(directory + "/data", pollInterval: interval)
                #expect(!first.isMaintainer && !second.isMaintainer)
                let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
                let leader = Task { await first.followCommits { continuation.yield() } }
                for await _ in calls where first.isMaintainer { break }

                let (others, other) = AsyncStream.makeStream(of: Void.self)
                let follower = Task { await second.followCommits { other.yield() } }
                var rounds = 0
                for await _ in others {
                    #expect(!second.isMaintainer)
                    rounds += 1
                    if rounds == 5 { break }
                }
                leader.cancel()
                await leader.value
                #expect(!first.isMaintainer)
                for await _ in others where second.isMaintainer { break }
                follower.cancel()
                await follower.value
                await first.close()
                await second.close()
            }
        }

        @Test(.timeLimit(.minutes(1)))
        func `a replica whose connection the server ends hears of later commits again`() async throws {
            try await withReplicas(2) { stores, heard in
                try await stores[0].write { try $0.execute("CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY)") }
                for await _ in heard[1] where stores[0].isMaintainer || stores[1].isMaintainer { break }
                let ended = try await stores[0].read { reader in
                    try reader.rows(
                        """
                        SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
                        WHERE query LIKE 'SELECT pg_try_advisory_lock%' AND datname = current_database()
                        """
                    ).count
                }
                #expect(ended >= 1)
                try await stores[0].write { try $0.execute("INSERT INTO note (id) VALUES (1)") }
                for await _ in heard[1] {
                    if try await stores[1].read({ try $0.row("SELECT id FROM note") }) != nil { break }
                }
            }
        }
    }
#endif
