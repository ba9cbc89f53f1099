#if POSTGRES
    import HTTPTypes
    import HummingbirdTesting
    import StrataDomain
    import StrataFeatureTesting
    import StrataPostgres
    import StrataTesting
    import Testing

    @testable import StrataService

    @Suite(.enabled(if: PostgresTestServer.address != nil, PostgresTestServer.isMissing))
    struct PostgresDeadlineTests {
        private struct SleepAtServer: RoutedEndpoint {
            static let route = Route.get("/v1/sleep")
            typealias Response = EchoPayload
        }

        private struct SleepFeature: FeatureService {
            let migrations: [StoreMigration] = []

            func mount(on routes: inout APIRoutes) {
                routes.read(SleepAtServer.self, for: .users) { _, _, reader in
                    EchoPayload(text: "\(try reader.rows("SELECT pg_sleep(62)").count)")
                }
            }
        }

        private func sleepers(_ store: any Store) async throws -> Int {
            try await store.read { reader in
                try reader.row(
                    """
                    SELECT COUNT(*) AS count FROM pg_stat_activity
                    WHERE state = 'active' AND pid <> pg_backend_pid() AND query = 'SELECT pg_sleep(62)'
                    """)?.int("count") ?? 0
            }
        }

        @Test(.timeLimit(.minutes(1)))
        func `a statement ends at the server at the deadline of its request`() async throws {
            try await withTemporaryDirectory { directory in
                let store = try await PostgresTestServer.open("\(directory)/data")
                let clock = ManualClock()
                let service = try ServiceApplication(
                    features: [SleepFeature()], store: store, authenticator: SampleAuthenticator(),
                    wallClock: ManualWallClock(), clock: clock, logger: .silent)
                try await service.prepare()
                try await service.application().test(.router) { client in
                    var headers: HTTPFields = [:]
                    headers[try #require(HTTPField.Name("X-Request-Deadline-Ms"))] = "1500"
                    async let reply = Client(client: client).send(.get, "/v1/sleep", headers: headers)
                    try await eventually("the statement runs") { try await sleepers(store) == 1 }
                    clock.advance(by: .milliseconds(1500))
                    #expect(try await reply.status == 504)
                    #expect(try await sleepers(store) == 0)
                }
                await store.close()
            }
        }
    }
#endif
