import FoundationEssentials
import GRDBSQLite
import Logging
import StrataDomain
import StrataSQLite
import StrataService

#if canImport(Glibc)
    import Glibc
#endif

/// The backend of these runs: the real service with one synchronised table, on a real socket, in a process of its own.
enum Server {
    /// Fills a new database with `count` rows.
    static func prepare(_ path: String, count: Int) async throws {
        let store = try await SQLiteStore.open(SQLiteLocation(path: path))
        try await application(store).prepare()
        try await store.close()
        let bare = try Bare(path)
        try bare.run("PRAGMA synchronous = OFF; BEGIN")
        let row = try bare.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, NULL, ?, ?)")
        let change = try bare.prepare(
            "INSERT INTO sync_change (collection, entity_id, version, updated_at, deleted, bucket) "
                + "VALUES ('logs', ?, ?, ?, 0, 0)")
        for number in 0..<count {
            let sample = Sample(number: number)
            try row.run(
                [sample.id, sample.host, sample.severity, sample.text],
                [sample.occurredAt, number + 1, sample.occurredAt])
            try change.run([sample.id], [number + 1, sample.occurredAt])
        }
        try bare.run("UPDATE sync_meta SET seq = \(count); COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Serves until the process is ended; prints the port.
    static func serve(_ path: String) async throws {
        let store = try await SQLiteStore.open(SQLiteLocation(path: path))
        let service = try application(store) { say("port \($0)") }
        try await service.prepare()
        try await service.run()
    }

    private static func application(
        _ store: any Store, onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> ServiceApplication {
        try ServiceApplication(
            features: [LogService()], store: store, authenticator: Anybody(), options: ServiceOptions(port: 0),
            logger: Logger(label: "bench", factory: { _ in SwiftLogNoOpLogHandler() }), onListening: onListening)
    }
}

private struct LogService: FeatureService {
    var migrations: [StoreMigration] {
        [
            StoreMigration(
                "log-1",
                """
                CREATE TABLE log (
                    id TEXT PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
                    occurred_at BIGINT NOT NULL, runbook_id TEXT, version BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """)
        ]
    }
    var syncedCollections: [any SyncedCollection] { [LogSync()] }
    func mount(on routes: inout APIRoutes) {}
}

private struct LogSync: SyncedTable {
    let name = "logs"
    let table = "log"
    let columns = [
        SyncedColumn("host", .text), SyncedColumn("severity", .text), SyncedColumn("text", .text),
        SyncedColumn("occurred_at", .time), SyncedColumn("runbook_id", .text, isOptional: true),
    ]
}

private struct Anybody: Authenticator {
    func principal(bearer token: String) async throws -> Principal {
        .user(Principal.User(id: "ada", username: "ada", isAdmin: false, sessionId: "s"))
    }
    func principal(apiKey: String) async throws -> Principal { try await principal(bearer: apiKey) }
}
