import Logging
import StrataDomain
import StrataOffline
import StrataTerminal

/// What a profile keeps here and synchronises, with everything that works on it.
struct OfflineWiring: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    let engine: SyncEngine
    /// Like `engine`, but tries once.
    let attempt: SyncEngine
    let tools: SyncTools
    /// Gives what was just written a short moment to reach the server.
    let settle: @Sendable () async -> Void

    /// How long a command that wrote something waits for the sync engine.
    private static let moment = Duration.milliseconds(1500)

    init(_ wiring: Wiring, logger: Logger) async throws(DomainError) {
        let settings = wiring.settings
        database = try await OfflineDatabase.open(
            at: "\(settings.paths.state)/journal/\(settings.profile).sqlite",
            collections: Synchronised.all.map(\.collection), log: logger)
        // Before anything is written or sent: nobody's rows may go out under another name.
        if let user = wiring.account?.userId, try await database.account() != user {
            try await database.claim(for: user)
        }
        store = OfflineStore(database: database)
        let network = wiring.network
        let client = AccountClient(base: network.session, accountFile: wiring.accountFile, account: wiring.account)
        // Tries once: whoever writes while the server is away must not wait for a retry, and a watch has waits of its own.
        let impatient = AccountClient(
            base: network.impatient, accountFile: wiring.accountFile, account: wiring.account)
        let bar = SyncBar(wiring.console)
        engine = SyncEngine(database: database, client: client, log: logger, onProgress: bar.update)
        attempt = SyncEngine(database: database, client: impatient, log: logger)
        let watch = SyncWatchWiring(
            engine: { [database] in SyncEngine(database: database, client: impatient, log: logger, onProgress: $0) },
            connectivity: { network.connectivity }, localWrites: { [store] in store.changes() },
            accountFile: wiring.accountFile, account: wiring.account)
        tools = SyncTools(sync: ShownSync(base: engine, bar: bar), outbox: store, conflicts: store, watch: watch.run)
        let isConnected = wiring.account != nil && !settings.isOffline
        settle = { [attempt] in
            guard isConnected else { return }
            await withTaskGroup { group in
                // Whatever goes wrong here is seen by the next sync; the write itself is safe.
                group.addTask { _ = try? await attempt.sync() }
                group.addTask { try? await Task.sleep(for: Self.moment) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}

/// Takes the progress line away when a run is over.
private struct ShownSync: SyncService {
    let base: SyncEngine
    let bar: SyncBar

    func sync() async throws(DomainError) -> SyncReport {
        defer { bar.finish() }
        return try await base.sync()
    }

    func status() async throws(DomainError) -> SyncStatus { try await base.status() }
}
