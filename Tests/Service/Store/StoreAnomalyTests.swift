import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// What goes wrong where writes that depend on each other run side by side, by the names of the field: part of the contract of
/// every implementation of `Store`.
///
/// Each runs 50 times: six writes at once at two replicas, of which two overlap for certain where the engine runs writes side by side.
/// The deletion of the last administrator by two is in `LastAdministratorTests`.
@Suite struct StoreAnomalyTests {
    private static let rounds = 50
    private static let writers = 6

    private let schema = StoreMigration(
        "anomalies-1",
        "CREATE TABLE watch (id TEXT NOT NULL PRIMARY KEY, round BIGINT NOT NULL, level BIGINT NOT NULL)",
        "CREATE INDEX watch_by_round ON watch (round)"
    )

    /// Two replicas whose writes meet.
    private struct Replicas: Sendable {
        let engine: StoreEngine
        let stores: [any Store]
        let meeting: Meeting
        /// The first store without meetings.
        let plain: any Store

        /// Runs the writers of a round at once, alternately at both replicas.
        func race<Result: Sendable>(
            _ body: @escaping @Sendable (Int, any Store) async throws -> Result
        ) async throws -> [Result] {
            meeting.convene(engine.isSQLite ? 0 : 2)
            defer { meeting.convene(0) }
            return try await withThrowingTaskGroup(of: Result.self) { group in
                for number in 0..<writers {
                    let store = stores[number % stores.count]
                    group.addTask { try await patiently { try await body(number, store) } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// - Parameter body: Runs the rounds. Afterwards transactions must have overlapped, or the test would prove nothing.
    private func withReplicas(
        _ engine: StoreEngine, _ migrations: [StoreMigration],
        _ location: SourceLocation = #_sourceLocation, _ body: (Replicas) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bases = [
                try await engine.open("\(directory)/anomalies.db", isShared: true),
                try await engine.open("\(directory)/anomalies.db", isShared: true),
            ]
            try await bases[0].migrate(migrations)
            let meeting = Meeting()
            try await body(
                Replicas(
                    engine: engine, stores: bases.map { OverlappingStore($0, at: meeting) }, meeting: meeting,
                    plain: bases[0]))
            #expect(
                engine.isSQLite || meeting.met > Self.rounds / 2, "the writes hardly ever overlapped",
                sourceLocation: location)
            for base in bases { try await StoreEngine.close(base) }
        }
    }

    private func sum(of round: Int, in store: any Store) async throws -> Int {
        try await store.read { reader in
            try reader.row("SELECT CAST(SUM(level) AS BIGINT) AS total FROM watch WHERE round = \(round)")?
                .intIfAny("total") ?? 0
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `lost update: each of six writers that read a number and write the next one counts`(
        _ engine: StoreEngine
    ) async throws {
        try await withReplicas(engine, [schema]) { replicas in
            for round in 0..<Self.rounds {
                let id = "r\(round)"
                try await replicas.plain.write { transaction in
                    try transaction.execute("INSERT INTO watch (id, round, level) VALUES (\(id), \(round), 0)")
                }
                _ = try await replicas.race { _, store in
                    try await store.write { transaction in
                        let level = try transaction.row("SELECT level FROM watch WHERE id = \(id)")?.int("level") ?? 0
                        try transaction.execute("UPDATE watch SET level = \(level + 1) WHERE id = \(id)")
                    }
                }
                #expect(try await sum(of: round, in: replicas.plain) == Self.writers)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `write skew: of two that leave because the other stays, one stays`(_ engine: StoreEngine) async throws {
        try await withReplicas(engine, [schema]) { replicas in
            for round in 0..<Self.rounds {
                try await replicas.plain.write { transaction in
                    for place in 0..<2 {
                        try transaction.execute(
                            "INSERT INTO watch (id, round, level) VALUES (\("r\(round)-\(place)"), \(round), 1)")
                    }
                }
                let left = try await replicas.race { number, store in
                    try await store.write { transaction -> Bool in
                        let others = try transaction.rows("SELECT id, level FROM watch WHERE round = \(round)")
                        let id = "r\(round)-\(number % 2)"
                        guard try others.filter({ try $0.int("level") == 1 }).count == 2 else { return false }
                        return try transaction.execute("UPDATE watch SET level = 0 WHERE id = \(id)") == 1
                    }
                }
                #expect(left.filter(\.self).count == 1)
                #expect(try await sum(of: round, in: replicas.plain) == 1)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `phantom of a unique rule: of six that insert because there is none, one inserts`(
        _ engine: StoreEngine
    ) async throws {
        try await withReplicas(engine, [schema]) { replicas in
            for round in 0..<Self.rounds {
                let inserted = try await replicas.race { number, store in
                    try await store.write { transaction -> Bool in
                        guard try transaction.row("SELECT id FROM watch WHERE round = \(round)") == nil else {
                            return false
                        }
                        let id = "r\(round)-\(number)"
                        try transaction.execute("INSERT INTO watch (id, round, level) VALUES (\(id), \(round), 1)")
                        return true
                    }
                }
                #expect(inserted.filter(\.self).count == 1)
                #expect(try await sum(of: round, in: replicas.plain) == 1)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `two refreshes of one token: each caller gets a token, and one of them lives`(
        _ engine: StoreEngine
    ) async throws {
        try await withReplicas(engine, [Sessions.migration, Sessions.pageMigration]) { replicas in
            let plain = RefreshTokens(store: replicas.plain, logger: .silent)
            for _ in 0..<Self.rounds {
                let grant = try await replicas.plain.write { transaction in
                    try plain.start(userId: "ada", device: "laptop", at: Sample.now, in: transaction)
                }
                let received = try await replicas.race { _, store in
                    try await RefreshTokens(store: store, logger: .silent).rotate(
                        grant.refreshToken.reveal(), at: Sample.now
                    ).refreshToken
                }
                #expect(Set(received).count == Self.writers)
                let live = try await replicas.plain.read { reader in
                    try reader.rows(
                        """
                        SELECT hash FROM auth_refresh_token
                        WHERE session_id = \(grant.sessionId) AND used_at IS NULL AND superseded_at IS NULL
                        """
                    ).map { try $0.text("hash") }
                }
                #expect(live.count == 1)
                let holders = received.filter { live == [OpaqueToken.digest($0.reveal())] }
                let holder = try #require(holders.first)
                _ = try await plain.rotate(holder.reveal(), at: Sample.now)
            }
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `one idempotency key twice: requests at two replicas have one effect and one response`(
        _ engine: StoreEngine
    ) async throws {
        try await withReplicas(engine, []) { replicas in
            var services: [ServiceApplication] = []
            for store in replicas.stores {
                let service = try ServiceApplication(
                    features: [NotesFeature()], store: store, authenticator: SampleAuthenticator(), logger: .silent)
                try await service.prepare()
                services.append(service)
            }
            let other = services[1]
            try await services[0].application().test(.router) { first in
                try await other.application().test(.router) { second in
                    try await sendTwice(replicas, [Client(client: first), Client(client: second)])
                }
            }
            try await expectRows(Self.rounds, in: "note", of: replicas.plain)
        }
    }

    private func sendTwice(_ replicas: Replicas, _ clients: [Client]) async throws {
        let field = try #require(HTTPField.Name("Idempotency-Key"))
        let replayed = try #require(HTTPField.Name("Idempotency-Replayed"))
        for round in 0..<Self.rounds {
            let replies = try await replicas.race { number, _ in
                let reply = try await clients[number % 2].send(
                    .post, "/v1/notes", headers: [field: "key-\(round)"], json: #"{"text":"round \#(round)","level":3}"#
                )
                guard reply.status != 503 else { throw StoreError.unavailable("503") }
                return reply
            }
            let done = replies.filter { $0.status == 201 }
            #expect(Set(done.map(\.body)).count == 1)
            #expect(done.filter { $0.headers[replayed] == nil }.count == 1)
            #expect(replies.allSatisfy { $0.status == 201 || $0.status == 409 })
        }
    }
}

/// Sends a write again that the engine gave up, as a client does after 503. The last error is thrown after 50.
private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
    for _ in 1..<50 {
        do { return try await body() } catch StoreError.unavailable { continue }
    }
    return try await body()
}
